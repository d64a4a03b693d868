import { createCaller } from "../client/caller.ts";
import { checkAnswer } from "../client/response/check_answer.ts";
import { SvcError } from "../errors.ts";
import work, { type WorkOperatorAnswer } from "../resources/work.ts";
import { type JsonObject, parseJsonObject } from "../../utils/json.ts";
import { decodeUtf8 } from "../../utils/text/utf8.ts";
import { type AuthOptions, describeTarget, obtainToken } from "./commands.ts";
import { createSession, TokenSource } from "./session.ts";
import { createWarn, type Credentials, readSettings, requireCredentials, type Sources } from "./settings.ts";
import type { Token } from "./token_cache.ts";

/** Result of `whoami`. */
export type WhoamiResult = {
  /** Name of the profile, if the service and the client are its own. */
  profile?: string;
  /** The sources of address and credentials, if variables replace those of the profile. */
  sources?: Sources;
  /** Address of the service. */
  server: string;
  /** Client ID. */
  clientId: string;
  /** Operator that the client acts as, if the service or the token says so. */
  operator?: string;
  /** Name of the operator. */
  name?: string;
  /** Queues from which the operator takes work. */
  queues?: string[];
  /** Application that the token names. */
  application?: string;
};

/** Returns the client, and the operator that it acts as: from the embedded service, or from the claims of the token. */
export async function whoami(options: AuthOptions = {}): Promise<WhoamiResult> {
  const credentials = requireCredentials(readSettings(options));
  const tokens = new TokenSource(credentials);
  const token = await obtainToken(credentials, tokens, options);
  const operator = await readOperator(credentials, tokens, options) ?? readClaims(token);
  if (operator.operator === undefined) {
    createWarn(options)("The service does not say which operator the client acts as.");
  }
  return { ...describeTarget(credentials), clientId: credentials.clientId, ...operator };
}

type OperatorFacts = Pick<WhoamiResult, "operator" | "name" | "queues" | "application">;

/** Reads the operator from the embedded service. Returns undefined if another service does not have the operation. */
async function readOperator(
  credentials: Credentials,
  tokens: TokenSource,
  { onRequest, onReply, onFailure, signal }: AuthOptions,
): Promise<OperatorFacts | undefined> {
  const caller = createCaller({ onRequest, onReply, onFailure }, () => createSession(credentials, tokens));
  try {
    const reply = await caller.call({ name: "work.get-operator", operation: work.getOperator }, {}, { signal });
    const { ID, name, queues }: WorkOperatorAnswer = checkAnswer(work.getOperator.answer, reply);
    return { operator: ID, name, queues: queues.map((queue) => queue.ID) };
  } catch (error) {
    const isRefused = error instanceof SvcError && error.code !== "UNAUTHORIZED" && error.status !== undefined &&
      error.status < 500;
    if (isRefused) return undefined;
    throw error;
  }
}

/** Reads the claims of a JSON Web Token. Other tokens have none. */
function readClaims({ accessToken }: Token): OperatorFacts {
  const { sub, app_name: application } = decodeClaims(accessToken.split(".")[1] ?? "") ?? {};
  return {
    ...(typeof sub === "string" && { operator: sub }),
    ...(typeof application === "string" && { application }),
  };
}

function decodeClaims(payload: string): JsonObject | undefined {
  if (!/^[\w-]+$/.test(payload)) return undefined;
  try {
    const text = decodeUtf8(Uint8Array.fromBase64(payload, { alphabet: "base64url" }));
    return text === undefined ? undefined : parseJsonObject(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
