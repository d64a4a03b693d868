/** How a client authenticates at the token endpoint (RFC 6749, section 2.3.1). */

/**
 * Method of authentication: HTTP Basic with percent-encoded credentials, as OAuth requires (`basic`), HTTP Basic with
 * unencoded credentials (`basic-plain`), or credentials in the body (`post`).
 */
export type ClientAuth = "basic" | "basic-plain" | "post";

export const CLIENT_AUTH_METHODS: readonly ClientAuth[] = ["basic", "basic-plain", "post"];

/** The method that every server must support. */
export const DEFAULT_CLIENT_AUTH: ClientAuth = "basic";

/** A token request with credentials in a header or in the form. */
export interface AuthenticatedForm {
  /** Value of the header `Authorization`, if the method uses one. */
  readonly authorization?: string;
  readonly form: Readonly<Record<string, string>>;
}

/** Creates the form of the client credentials grant. */
export function createGrantForm(
  { scope, audience }: { readonly scope?: string | undefined; readonly audience?: string | undefined },
): Record<string, string> {
  return {
    grant_type: "client_credentials",
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
  };
}

/** Adds the credentials of a client to a form. */
export function authenticateForm(
  form: Readonly<Record<string, string>>,
  method: ClientAuth,
  clientId: string,
  secret: string,
): AuthenticatedForm {
  if (method === "post") return { form: { ...form, client_id: clientId, client_secret: secret } };
  const encode = method === "basic" ? encodePart : (text: string) => text;
  return { form, authorization: `Basic ${toBase64(`${encode(clientId)}:${encode(secret)}`)}` };
}

/** Encodes as `application/x-www-form-urlencoded`, but a space as `%20`, which servers with URI decoding also accept. */
function encodePart(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice("=".length).replaceAll("+", "%20");
}

function toBase64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

/** Lists the encodings of a secret that could appear in the response of a server. */
export function listSecretForms(clientId: string, secret: string): string[] {
  const headers = CLIENT_AUTH_METHODS.flatMap((method) =>
    authenticateForm({}, method, clientId, secret).authorization?.slice("Basic ".length) ?? []
  );
  const encoded = new URLSearchParams({ "": secret }).toString().slice("=".length);
  return [...headers, encoded, encodePart(secret), secret];
}

/** Lists the methods that send the credentials differently, and so could succeed if `method` is rejected. */
export function listOtherMethods(method: ClientAuth, clientId: string, secret: string): ClientAuth[] {
  const describe = (one: ClientAuth) => JSON.stringify(authenticateForm({}, one, clientId, secret));
  const seen = new Set([describe(method)]);
  return CLIENT_AUTH_METHODS.filter((one) => {
    const isNew = !seen.has(describe(one));
    seen.add(describe(one));
    return isNew;
  });
}
