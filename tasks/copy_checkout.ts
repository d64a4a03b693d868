/** Copies of the checkout in which a program can be built. */
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";

const CHECKOUT = new URL("../", import.meta.url);

/** Copies the checkout into a new folder, without its tests, what is built from it and what Git keeps. */
export function copyCheckout(folder: string): void {
  for (const { name } of Deno.readDirSync(CHECKOUT)) {
    if (name.startsWith(".") || name === "tests" || name === "dist") continue;
    cpSync(fileURLToPath(new URL(name, CHECKOUT)), `${folder}/${name}`, { recursive: true });
  }
}
