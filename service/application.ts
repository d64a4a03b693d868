/** The application definition that is served: a person's own, or the one that comes with svc. */
import { fileURLToPath } from "node:url";
import type { Application } from "./definition/application.ts";
import { loadApplication, parseApplication } from "./definition/load.ts";

const OWN = new URL("./apps/permit.yaml", import.meta.url);

/** Reads a definition from a file; without one, the definition that comes with svc. */
export async function loadServedApplication(file: string | undefined): Promise<Application> {
  if (file !== undefined) return await loadApplication(file);
  if (OWN.protocol === "file:") return await loadApplication(fileURLToPath(OWN));
  const response = await fetch(OWN); // svc itself came over the network, and so does its file
  return parseApplication(await response.text(), OWN.href);
}
