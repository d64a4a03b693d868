/**
 * The program under test: as people install it, where `deno task test` has built it of this checkout; its sources where
 * a test is run by itself.
 */
import { pathToFileURL } from "node:url";
import { builtLibrary, type Library } from "../../workflows/sandbox/host/library.ts";
import { CHECKOUT } from "./readme.ts";

const BUILT = Deno.env.get("SVC_TEST_PROGRAM");

/** Path of the program. */
export const PROGRAM: string = BUILT ?? `${CHECKOUT}/cli.ts`;

/** What sandboxes load of it; undefined where they find it themselves. */
export const LIBRARY: Library | undefined = BUILT === undefined ? undefined : builtLibrary(pathToFileURL(BUILT));
