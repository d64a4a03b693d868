/** The application that a service serves: a definition of the user, or the sample application. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { resolveOwnFile } from "../../lib/own_files.ts";
import { compileApplication } from "../application/compile/compile_application.ts";
import type { Application } from "../application/model/application.ts";
import type { Definition } from "../application/schema/definition.ts";
import { type Assets, openAssets, openPackedAssets } from "../pages/assets.ts";
import { PACKED_ASSETS } from "./packed_assets.ts";

/** Loads a definition from a file, or the sample application. */
export async function loadServedApplication(file: string | undefined): Promise<Application> {
  if (file === undefined) return sample ??= await loadSample();
  const { loadApplication } = await import("../application/load.ts");
  return await loadApplication(file);
}

/** Loaded once, because the tests of a program may start many services. */
let sample: Application | undefined;

async function loadSample(): Promise<Application> {
  // JSR does not allow a static import of a text.
  const { default: text } = await import("./permit.yaml", { with: { type: "text" } });
  const definition = parseBuilt(text);
  const compiled = definition && compileApplication(definition);
  if (compiled !== undefined && "application" in compiled) return compiled.application;
  const { parseApplication } = await import("../application/load.ts");
  return parseApplication(text, "permit.yaml");
}

/**
 * Parses the sample as `tasks/build.ts` writes it: its checked definition as JSON, so that the installed program starts a
 * service without loading a YAML parser and the schema. Returns undefined for YAML.
 */
function parseBuilt(text: string): Definition | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Opens the assets of a definition, which are in the folder `static` beside it. */
export async function openServedAssets(file: string | undefined): Promise<Assets> {
  if (file !== undefined) return await openAssets(join(dirname(file), "static"));
  const own = resolveOwnFile("service/sample/static");
  return own.protocol === "file:" ? await openAssets(fileURLToPath(own)) : openPackedAssets(PACKED_ASSETS);
}
