/** Where the model servers are, and with what key: the environment says it, and neither the definition nor a log. */
import { checkMember, isSecure } from "../../lib/auth/profile.ts";
import type { Application } from "../definition/application.ts";
import { NoReply } from "./reply.ts";

/** The model servers of an application, as far as the environment names them, e.g. `models.example:443`. */
export function modelHosts({ agents, assistants }: Application): string[] {
  const variables = [...agents.values(), ...assistants.values()].flatMap(({ answers }) =>
    answers.kind === "model" ? [answers.addressVariable] : []
  );
  const hosts = variables.flatMap((variable) => {
    const url = URL.parse(Deno.env.get(variable)?.trim() ?? "");
    return url === null ? [] : [`${url.hostname}:${url.port || (url.protocol === "http:" ? 80 : 443)}`];
  });
  return [...new Set(hosts)];
}

/** The address that a variable holds, without a slash at its end. */
export function addressIn(variable: string): string {
  const address = read(variable).replace(/\/+$/, "");
  try {
    checkMember("baseUrl", address, variable);
  } catch (error) {
    throw new NoReply(`the environment variable ${variable} holds no http or https address`, { cause: error });
  }
  if (isSecure(address)) return address;
  throw new NoReply(`the environment variable ${variable} holds an http address beyond this machine: use https`);
}

/** The key that a variable holds. */
export function keyIn(variable: string): string {
  const key = read(variable);
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new NoReply(`the environment variable ${variable} holds a key that no header can carry`);
}

function read(variable: string): string {
  let value: string | undefined;
  try {
    value = Deno.env.get(variable);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new NoReply(`the service may not read the environment variable ${variable}: allow it with --allow-env`);
  }
  const text = value?.trim() ?? "";
  if (text !== "") return text;
  throw new NoReply(`the environment variable ${variable} is not set`);
}
