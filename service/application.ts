/** The application definition that is served: a person's own, or the one that comes with svc. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ownFile } from "../lib/own_files.ts";
import type { Application } from "./definition/application.ts";
import { loadApplication, parseApplication } from "./definition/load.ts";
import { fetchOwn } from "./fetch_own.ts";
import { fetchedStaticFiles, openStaticFiles, type StaticFiles } from "./static_files.ts";

const OWN = ownFile("service/apps/permit.yaml");

/** The files that come with the sample application: those of a package on another machine cannot be listed. */
export const OWN_FILES = [
  "components/City_Map.js",
  "files/fees.csv",
  "files/logo.png",
  "profile-images/clerk@city.png",
] as const;

/** Reads a definition from a file; without one, the definition that comes with svc. */
export async function loadServedApplication(file: string | undefined): Promise<Application> {
  if (file !== undefined) return await loadApplication(file);
  if (OWN.protocol === "file:") return await loadApplication(fileURLToPath(OWN));
  return parseApplication(await (await fetchOwn(OWN)).text(), OWN.href);
}

/** The files that come with a definition: those of the folder `static` beside it. */
export async function openServedFiles(file: string | undefined): Promise<StaticFiles> {
  if (file !== undefined) return await openStaticFiles(join(dirname(file), "static"));
  if (OWN.protocol === "file:") return await openStaticFiles(fileURLToPath(new URL("./static", OWN)));
  return fetchedStaticFiles(new URL("./static/", OWN), OWN_FILES);
}
