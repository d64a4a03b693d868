// Names of members, texts, and the three words. Numbers and punctuation keep the color of the terminal.
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b/g;

/** Colors JSON for a terminal. */
export function colorJson(json: string): string {
  return json.replace(TOKEN, (token, text?: string, colon?: string) => {
    if (text === undefined) return `\x1b[33m${token}\x1b[39m`;
    return colon === undefined ? `\x1b[32m${text}\x1b[39m` : `\x1b[1;34m${text}\x1b[22;39m${colon}`;
  });
}
