/** Reads one address as often as it can for a while: `load_get.ts <url> <token> <connections> <requests>`. Prints reads per second. */

const [url = "", token = "", connections = "", requests = ""] = Deno.args;
const headers = { authorization: `Bearer ${token}` };
let left = Number(requests);
const started = performance.now();
await Promise.all(Array.from({ length: Number(connections) }, async () => {
  while (left-- > 0) {
    const response = await fetch(url, { headers });
    await response.text();
    if (response.status !== 200) throw new Error(`GET ${url} answered ${response.status}.`);
  }
}));
console.log(Number(requests) / (performance.now() - started) * 1000);
