import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";

const CHECKOUT = new URL("../..", import.meta.url);

/** Copies the checkout to a new folder, without tests, hidden folders and build results. */
export function copyCheckout(folder: string): void {
  for (const { name } of Deno.readDirSync(CHECKOUT)) {
    if (name.startsWith(".") || name === "tests" || name === "dist") continue;
    cpSync(fileURLToPath(new URL(name, CHECKOUT)), `${folder}/${name}`, { recursive: true });
  }
}
