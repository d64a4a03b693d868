/** Clients: programs that call the service as an operator. */
import { randomBytes } from "node:crypto";
import { SvcError } from "../../lib/errors.ts";
import type { Application } from "../application/model/application.ts";
import type { Store, StoredClient } from "../store/store.ts";
import { createSecret, hashSecret, matchesHash } from "./secrets.ts";

/** Credentials of a client. The secret is available only at creation: the service stores its hash. */
export interface ClientCredentials {
  /** Client ID. */
  readonly clientId: string;
  /** Client secret. */
  readonly clientSecret: string;
}

/** Hash to compare with if a client does not exist, so that the response time does not reveal this. */
const UNKNOWN_CLIENT = hashSecret(createSecret());

/** Adds a client that acts as an operator of the application. */
export async function addClient(store: Store, app: Application, operator: string): Promise<ClientCredentials> {
  if (!app.operators.has(operator)) {
    throw new SvcError("INVALID_ARGS", `The application has no operator ${operator}.`, {
      hint: `Its operators are ${[...app.operators.keys()].join(", ")}.`,
    });
  }
  const clientId = "client-" + randomBytes(9).toString("base64url");
  const clientSecret = createSecret();
  const client = { id: clientId, secretHash: hashSecret(clientSecret), operator, createdAt: new Date().toISOString() };
  await store.transact((tx) => tx.putClient(client));
  return { clientId, clientSecret };
}

/** Finds the client with these credentials. */
export async function authenticate(
  store: Store,
  { clientId, clientSecret }: ClientCredentials,
): Promise<StoredClient | undefined> {
  const client = await store.read((tx) => tx.getClient(clientId));
  return matchesHash(clientSecret, client?.secretHash ?? UNKNOWN_CLIENT) ? client : undefined;
}
