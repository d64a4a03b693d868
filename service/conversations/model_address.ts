/** Addresses and keys of model servers. They come from the environment, so that no definition and no log contains them. */
import { checkMember, isSecureUrl } from "../../lib/auth/profiles.ts";
import { readAnyVariable } from "../../lib/auth/environment.ts";
import { SvcError } from "../../lib/errors.ts";
import type { Application } from "../application/model/application.ts";
import { NoAnswer } from "./answer_text.ts";

/** Lists the hosts of model servers that the environment names, e.g. `models.example:443`. */
export function listModelHosts({ agents, assistants }: Application): string[] {
  const variables = [...agents.values(), ...assistants.values()].flatMap(({ answers }) =>
    answers.kind === "model" ? [answers.addressVariable] : []
  );
  const hosts = variables.flatMap((name) => {
    const url = URL.parse(readAnyVariable(name)?.trim() ?? "");
    return url === null ? [] : [`${url.hostname}:${url.port || (url.protocol === "http:" ? 80 : 443)}`];
  });
  return [...new Set(hosts)];
}

/** Reads the address of a server from a variable, without a slash at its end. */
export function readAddress(name: string): string {
  const address = readText(name).replace(/\/+$/, "");
  try {
    checkMember("baseUrl", address, name);
  } catch (error) {
    throw new NoAnswer(`the environment variable ${name} is not an http or https address`, { cause: error });
  }
  if (isSecureUrl(address)) return address;
  throw new NoAnswer(`the environment variable ${name} is an http address of another machine: use https`);
}

/** Reads the key of a server from a variable. */
export function readKey(name: string): string {
  const key = readText(name);
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new NoAnswer(`the environment variable ${name} is a key that cannot be sent in a header`);
}

function readText(name: string): string {
  let value: string | undefined;
  try {
    value = readAnyVariable(name);
  } catch (error) {
    if (error instanceof SvcError) throw new NoAnswer(`the environment variable ${name} is not UTF-8 text`);
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new NoAnswer(`the service may not read the environment variable ${name}: allow it with --allow-env`);
  }
  const text = value?.trim() ?? "";
  if (text !== "") return text;
  throw new NoAnswer(`the environment variable ${name} is not set`);
}
