// Stands in for the one function that dspy's runner would fetch from the network: the lines of a stream.

export async function* readLines(reader) {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(64 * 1024);
  let pieces = [];
  for (let size; (size = await reader.read(chunk)) !== null;) {
    let text = decoder.decode(chunk.subarray(0, size), { stream: true });
    for (let end; (end = text.indexOf("\n")) >= 0; text = text.slice(end + 1)) {
      pieces.push(text.slice(0, end));
      yield pieces.join("");
      pieces = [];
    }
    pieces.push(text);
  }
  // Whoever started us is gone. Code that left a timer or a thread behind would keep the process alive.
  Deno.exit(0);
}
