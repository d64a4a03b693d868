/** Where the model servers are, and with what key: the environment says it, and neither the definition nor a log. */
import { checkMember, isSecureUrl } from "../../lib/auth/profile.ts";
import { readVariable } from "../../lib/auth/environment.ts";
import { SvcError } from "../../lib/errors.ts";
import type { Application } from "../application/model/application.ts";
import { NoReply } from "./reply.ts";

/** The model servers of an application, as far as the environment names them, e.g. `models.example:443`. */
export function modelHosts({ agents, assistants }: Application): string[] {
  const variables = [...agents.values(), ...assistants.values()].flatMap(({ answers }) =>
    answers.kind === "model" ? [answers.addressVariable] : []
  );
  const hosts = variables.flatMap((name) => {
    const url = URL.parse(readVariable(name)?.trim() ?? "");
    return url === null ? [] : [`${url.hostname}:${url.port || (url.protocol === "http:" ? 80 : 443)}`];
  });
  return [...new Set(hosts)];
}

/** The address that a variable holds, without a slash at its end. */
export function addressIn(name: string): string {
  const address = read(name).replace(/\/+$/, "");
  try {
    checkMember("baseUrl", address, name);
  } catch (error) {
    throw new NoReply(`the environment variable ${name} holds no http or https address`, { cause: error });
  }
  if (isSecureUrl(address)) return address;
  throw new NoReply(`the environment variable ${name} holds an http address beyond this machine: use https`);
}

/** The key that a variable holds. */
export function keyIn(name: string): string {
  const key = read(name);
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new NoReply(`the environment variable ${name} holds a key that no header can carry`);
}

function read(name: string): string {
  let value: string | undefined;
  try {
    value = readVariable(name);
  } catch (error) {
    if (error instanceof SvcError) throw new NoReply(`the environment variable ${name} holds no UTF-8 text`);
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new NoReply(`the service may not read the environment variable ${name}: allow it with --allow-env`);
  }
  const text = value?.trim() ?? "";
  if (text !== "") return text;
  throw new NoReply(`the environment variable ${name} is not set`);
}
