import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Root of this checkout. */
export const CHECKOUT: string = fileURLToPath(new URL("../..", import.meta.url));

/** Copies a checkout to a new folder, without tests, hidden folders and build results. Default: this checkout. */
export function copyCheckout(folder: string, checkout: string = CHECKOUT): void {
  for (const { name } of Deno.readDirSync(checkout)) {
    if (name.startsWith(".") || name === "tests" || name === "dist") continue;
    cpSync(`${checkout}/${name}`, `${folder}/${name}`, { recursive: true });
  }
}
