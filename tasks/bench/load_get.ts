/**
 * Reads one URL as fast as possible: `load_get.ts <url> <token> <connections> <requests>`. Prints the reads per second.
 */

const [url = "", token = "", connections = "", requests = ""] = Deno.args;
const headers = { authorization: `Bearer ${token}` };
let left = Number(requests);
const started = performance.now();
await Promise.all(Array.from({ length: Number(connections) }, async () => {
  while (left-- > 0) {
    const response = await fetch(url, { headers });
    await response.text();
    if (response.status !== 200) throw new Error(`GET ${url} responded with ${response.status}.`);
  }
}));
console.log(Number(requests) / (performance.now() - started) * 1000);
