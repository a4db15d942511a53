"""A question in German, French or Spanish → with the question words and small words of an English one. Pure.

What a question asks for is told by a few words at its beginning. The rest is left as it stands: the memories that
answer it were said in the same language.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache

from lerim.answer.words import is_form
from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later


@dataclass(frozen=True)
class AskingTongue:
    """How questions are asked in a language: what begins one and no English one, frames, and small words."""

    begins: re.Pattern[str]
    frames: tuple[tuple[re.Pattern[str], str], ...]
    small: re.Pattern[str]
    #: Whether every noun is written large: then a large letter makes no name.
    writes_nouns_large: bool = False


#: Everyday words of those who build something, in English, German, French and Spanish; written out as terms.
_SAME_WORDS = """
week woch wochen semain semana
day tag tage tagen jour dia
month monat monaten
year jahr jahren
hour stund stunden heur hora
minut minuten minuto
delet loschen geloscht loscht supprim borrar eliminar
save store speichern gespeichert speicher stocker enregistr guardar
send schicken verschicken verschickt gesendet versendet senden envoy enviar
approv freigeben freigibt frei freigab genehmigt genehmigen approuv aprobar
reject ablehnung ablehnen abgelehnt refus rechazo
publish publizieren publiziert veroffentlichen veroffentlicht publier publi publicar
plan plane planen
advanc voraus avanc antelacion
languag sprach langu idioma
log logmeldung logmeldungen protokol registro
messag meldung meldungen nachricht nachrichten mensaj
databas datenbank datenbanken
backup sicherung sicherungen sauvegard copia
price prei preis prix precio
custom kund kunden client
invoic rechnung rechnungen factur factura
error fehler erreur
password passwort kennwort contrasena
user benutz nutzer utilisateur usuario
file datei dateien fichier archivo
export exportacion
encod kodierung zeichensatz encodag codificacion
threshold schwellwert schwellenwert seuil umbral
limit grenz grenzwert
board anzeig anzeigen panneau tablero
name namen nom nombr
time uhrzeit zeit zeiten
deliver lieferung livrabl entreg
deploy ausrollen auslieferung deploiement desplegar
releas veroffentlichung livraison
test testen getestet tester prueba
alway immer toujour siempr
never nie niemal jamai nunca
keep behalten aufbewahren aufbewahrt garder conserv conservar
order bestellung bestellungen pedido
stock lager existencia
mail courriel correo
account konto konten compt cuenta
date datum daten fecha
member mitg mitglied membr miembro
fee beitrag gebuhr cotis cuota
chang andern andert geandert anderung changer modifi cambiar cambia modificar
imag bild bilder imagen
cart warenkorb panier carrito cesta
expir lauft ablauft ablaufen abgelaufen verfallt caduca caducar expira
valid gultig lauft ablauft valabl valido dure expira
token jeton
payment pay zahlung zahlungen bezahlen paiement payer pago pagar
cach zwischenspeich zwischengespeichert
product produkt artikel produit producto
import importieren importiert importar importacion
fail failur scheitert fehlgeschlagen bricht abbrechen echou echouer echouaient falla fallar fallaban
search suchen gesucht recherch busqueda buscar
slow langsam lent lento lenta
upload hochladen hochgeladen televers envoy subir subimo subida
maximum maxim hochsten grosst grosser maximo mayor
minimum mindesten minim moin minimo meno
larg gross grosser grand
size gross taill tamano
length lang longueur longitud
stock lagerbestand bestand existencia inventario
sync synchronis synchron abgleich abgleichen abgeglichen sincronizar sincroniza
data daten donne dato
custom kundin kundendaten
mail courriel electronico
server serveur servidor
shop laden geschaft boutiqu magasin tienda
tabl tabell tabellen tableau tabla
column spalt spalten colonn columna
row zeil zeilen lign fila
index indic indiz
team mannschaft equip equipo
branch zweig rama
review prufung prufen gepruft revu relir revis revisar revisa
button knopf schaltflach bouton boton
colour farb farben couleur color
page seit seiten pagina
screen bildschirm ecran pantalla
timezon zeitzon fuseau
weekend wochenend
monday montag lundi lune
tuesday dienstag mardi mart
wednesday mittwoch mercredi miercol
thursday donnerstag jeudi juev
friday freitag vendredi viern
order auftrag bestellungen pedido
ship shipment versand versenden expedit envio
parcel paket coli paquet
return ruckgab retour devolucion
refund ruckerstattung erstattung rembours reembolso
discount rabatt remis descuento
tax steuer steuern mwst tva impuesto iva
contract vertrag contrat contrato
report bericht rapport
set einstellung einstellungen reglag parametr ajust
key schlussel cle cles clave llave
secret geheimni geheimniss secreto
encrypt verschlusselt verschlusseln chiffrer chiffr cifrar cifrado
cost kosten kostet cout cuesta
allow erlaubt erlauben durfen autoris permi permitido permitir
forbid forbidden verboten interdit prohibido
write schreiben geschrieben ecrir ecrit escribir escrito escritura
read lesen gelesen lire lu leer leido
build bauen gebaut construir
copi kopi kopien kopieren copier copiar
remov entfernen entfernt enlev retir quitar eliminado
add hinzufugen hinzugefugt ajout anadir anadido
open offen offnen geoffnet ouvrir ouvert abrir abierto
close schliessen geschlossen fermer ferm cerrar cerrado
start starten gestartet demarr commenc empezar iniciar arrancar
stop anhalten gestoppt beendet arret parar deten
wait warten wartet attendr attend esperar espera
use nutzen nutzt benutzen verwenden verwendet utilis usar usamo utilizamo
run ausfuhren lauft laufen execut tourner ejecutar corr
number anzahl nummer nummern numero
document dokument documento
folder ordner verzeichni dossier carpeta
queue warteschlang warteschlangen cola
sensor sensoren fuhler capteur
driver fahrer treiber chauffeur conducteur conductor
machin maschin maschinen maquina
network netzwerk reseau
phone telefon telephon telefono
session sitzung sitzungen sesion
login anmeldung anmelden angemeldet connexion
role roll rollen rol
permiss berechtigung berechtigungen recht droit permiso
deploy deployen deploi deploiement despliegu desplegamo
retri wiederholung wiederholungen versuch reessay essai tentat reintento
format formato
week wochentlich hebdomadair seman
month monatlich mensuel mensual
day daili taglich quotidien diario
lie liegen liegt lagern gespeichert stocke almacenan
store liegen liegt speichern gespeichert almacenar almacenan guardan
invoic rechnung rechnungen factur factura
retain keep bleibt bleiben behalten aufbewahrt garder garde guardan guardar conservar
approv freigibt genehmigt valid aprueba aprueban
['lauft'] ['zahlungen'] ['dia']
"""


@cache
def _abroad() -> dict[str, frozenset[str]]:
    known: dict[str, set[str]] = {}
    for line in _SAME_WORDS.strip().splitlines():
        for term in line.split():
            known.setdefault(term, set()).update(line.split())
    return {term: frozenset(group) for term, group in known.items()}


def in_other_tongues(term: str) -> frozenset[str]:
    """The words that say in other languages what a term says; nothing for most."""
    return _abroad().get(term, frozenset())


def is_same_word(term: str, words: Set[str]) -> bool:
    """Whether a term is among some words: as it stands, with another ending, or in another language."""
    return term in words or is_form(term, words) or not words.isdisjoint(in_other_tongues(term))


def in_english(question: str) -> str:
    """The question with its frame in English; as it is when it is English, or in a language that is not known."""
    tongue = next((one for one in _TONGUES if one.begins.match(question)), None)
    if tongue is None:
        return question
    for pattern, english in tongue.frames:
        question, count = pattern.subn(english, question, count=1)
        if count:
            break
    if tongue.writes_nouns_large:
        question = _NOUN.sub(lambda noun: noun[0].lower(), question)
    return " ".join(tongue.small.sub(" ", question).split())


#: What a question word may stand behind: "in welcher".
_BEHIND = "in|an|auf|bei|mit|von|nach|zu|für|unter|über|aus|um|à|en|de|dans|pour|sur|con|por|para|desde|a"


#: One large letter, and small ones: a name of code or a product may have others.
_NOUN = compile_later(r"(?<![\w.-])[A-ZÄÖÜ][a-zäöüß]+(?![\w.-]*[A-Z\d_])\b")


def _tongue(begins: str, frames: dict[str, str], small: str, *, nouns_large: bool = False) -> AskingTongue:
    return AskingTongue(
        compile_later(rf"\W*(?:(?:und|et|y|also|denn|alors)\b[ ,]*)?(?:(?:{_BEHIND}) )?(?:{begins})\b", re.I),
        tuple((compile_later(rf"\b(?:{pattern})(?!\w)", re.I), english) for pattern, english in frames.items()),
        compile_later(rf"\b(?:{'|'.join(small.split())})\b", re.I),
        nouns_large,
    )


_TONGUES = (
    _tongue(
        r"wer|wen|wem|wann|wo|wohin|woran|warum|wieso|weshalb|welche[rsnm]?|wie|wozu|(?:ab|bis|seit) wann|nach wie"
        r"|was (?:ist|sind|haben|hat|war|waren|wird|werden|fehlt|steht|bleibt|machen|passiert|ist|kostet|soll)"
        r"|(?:haben|nutzen|benutzen|verwenden|brauchen|dürfen|sollen|müssen|können|darf|soll|muss|kann|gibt|ist|sind)"
        r" (?:wir|ich|man|es|der|die|das|ein|eine)",
        {
            r"was (?:ist|bleibt|steht|fehlt|haben wir) (?:denn )?(?:noch )?(?:offen|zu tun|übrig|an|unerledigt)"
            r"|was fehlt noch": "what is still open",
            r"was (?:haben|hatten) wir (?:alles )?(?:verschoben|aufgeschoben|vertagt)": "what did we put off",
            r"(?:nach )?wie ?viele[rnms]?|wie ?viel": "how many",
            r"wie (?:oft|häufig)": "how often",
            r"(?:seit wann|wie lang)e?": "how long",
            r"wie (?:hoch|groß|teuer|schnell|schwer|warm|heiß)": "how high",
            r"(?:ab |bis )?wann": "when",
            r"warum|wieso|weshalb|wozu|woran liegt": "why",
            r"we[rnm]": "who",
            r"wohin|wo": "where",
            r"welche[rsnm]?": "which",
            r"(?:nutzen|benutzen|verwenden|haben) wir": "do we use",
            r"brauchen wir": "do we need",
            r"(?:dürfen|können|sollen|müssen) wir|(?:darf|kann|soll|muss) (?:ich|man)": "may we",
            r"was": "what",
            r"wie": "how",
            r"ist|sind": "is",
        },
        "der die das den dem des ein eine einen einem einer im am in an auf aus bei mit für von vom zum zur zu und oder"
        " wir uns unser unsere unseren ist sind war waren wird werden wurde haben hat hatten noch schon denn eigentlich"
        " es er sie man ich nach kommt gibt liegt daran dass",
        nouns_large=True,
    ),
    _tongue(
        r"qui|quand|où|pourquoi|combien|quel(?:le)?s?|comment|que|qu['’]est-ce|est-ce",
        {
            r"qu['’]est-ce qui reste|que reste-t-il": "what is left",
            r"combien de temps": "how long",
            r"combien(?: de)?": "how many",
            r"pourquoi": "why",
            r"quand": "when",
            r"qui": "who",
            r"où": "where",
            r"quel(?:le)?s?": "which",
            r"comment": "how",
            r"qu['’]est-ce que|que": "what",
            r"est-ce qu(?:e|['’])": "do",
        },
        "est-ce le la les un une des du de à au aux dans sur pour avec et ou est sont on nous notre nos il elle a",
    ),
    _tongue(
        r"cada cuánto|quién(?:es)?|quien|cuándo|cuando|dónde|donde|por ?qu[eé]|cuánt[oa]s?|cuál(?:es)?|cómo|qué",
        {
            r"qué queda(?: por hacer)?": "what is left",
            r"cada cuánto": "how often",
            r"cuánto tiempo": "how long",
            r"cuánt[oa]s?": "how many",
            r"por ?qu[eé]": "why",
            r"cuándo|cuando": "when",
            r"quién(?:es)?|quien": "who",
            r"dónde|donde": "where",
            r"cuál(?:es)?": "which",
            r"cómo": "how",
            r"qué": "what",
        },
        "el la los las un una unos de del al en con para por y o es son está nos nuestro nuestra se lo",
    ),
)
