// Pyodide from the folder beside this file instead of a package cache: nothing is looked up, whatever the registry.
// Its machine is loaded first, as the CommonJS module it is. Pyodide would import it as a module of the other kind.

import { createRequire } from "node:module";

const require = createRequire(import.meta.resolve("./pyodide/"));
require("./pyodide.asm.js");
export default require("./pyodide.js");
