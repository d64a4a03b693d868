/** The application definition that is served: a person's own, or the one that comes with svc. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJsonObject } from "../../utils/json.ts";
import { ownFile } from "../../lib/own_files.ts";
import { OWN_FILES } from "./packed_static_files.ts";
import type { Application } from "../application/model/application.ts";
import { checkDefinition } from "../application/check.ts";
import { keptStaticFiles, openStaticFiles, type StaticFiles } from "../pages/static_files.ts";

/** Reads a definition from a file; without one, the definition that comes with svc. */
export async function loadServedApplication(file: string | undefined): Promise<Application> {
  if (file === undefined) return ownApplication ??= await loadOwnApplication();
  const { loadApplication } = await import("../application/load.ts");
  return await loadApplication(file);
}

/** Read once: a program's tests may start a service each. */
let ownApplication: Application | undefined;

async function loadOwnApplication(): Promise<Application> {
  // Not at the top of the file: JSR has refused packages that import a text there.
  const { default: own } = await import("./permit.yaml", { with: { type: "text" } });
  const values = parseJsonObject(own); // So it is where svc is built: to load and run a reader of YAML takes long.
  const application = values && checkDefinition(values).application;
  if (application !== undefined) return application;
  const { parseApplication } = await import("../application/load.ts");
  return parseApplication(own, "permit.yaml");
}

/** The files that come with a definition: those of the folder `static` beside it. */
export async function openServedFiles(file: string | undefined): Promise<StaticFiles> {
  if (file !== undefined) return await openStaticFiles(join(dirname(file), "static"));
  const own = ownFile("service/sample/static");
  return own.protocol === "file:" ? await openStaticFiles(fileURLToPath(own)) : keptStaticFiles(OWN_FILES);
}
