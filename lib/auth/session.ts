/** What the client needs of authentication: an address, and a fetch that adds the credentials itself. */

/** A service and how to reach it. */
export interface Target {
  /** Name of the profile that was selected. */
  readonly profile: string;
  /** Scheme, host and port, without a slash at the end, e.g. `https://svc.example`. */
  readonly baseUrl: string;
  /** Path of the API below the base URL, e.g. `/dx-api/v2`. */
  readonly apiRoot: string;
  /** Seconds that one call may take. */
  readonly timeoutSeconds: number;
  /** Whether the service knows idempotency keys. */
  readonly idempotencyKeys: boolean;
}

/** A request before the credentials are added. */
export interface SessionRequest {
  /** HTTP method. */
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  /** Headers without `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body, if there is one: it can be sent again. */
  readonly body?: string | Blob;
  /** Cancels the exchange. */
  readonly signal: AbortSignal;
  /** Says that the request must not arrive twice: the platform does not repeat it when a connection breaks. */
  readonly once?: boolean;
  /** Is told whether the request is under way: from when it is sent, unless its token is refused. */
  readonly underWay?: (isSent: boolean) => void;
}

/** An authenticated way to one service. */
export interface Session {
  /** The service. */
  readonly target: Target;
  /** Sends a request with a valid token: exchanges one where needed, and once more on a 401 for a cached token. */
  fetch(request: SessionRequest): Promise<Response>;
  /** What the service says, without the token: it may repeat what it was sent. */
  redact(text: string): string;
}
