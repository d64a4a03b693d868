/** Parses the location of a bucket. */
import { SvcError } from "../../../lib/errors.ts";
import { isLoopbackHost } from "../../../utils/loopback_host.ts";

/** Start of the location of a bucket. */
export const S3_SCHEME = "s3:";

/** A bucket of S3 or of an S3-compatible service, with a prefix. */
export interface S3Location {
  readonly bucket: string;
  /** Start of the names of objects: empty, or with a slash at its end. */
  readonly prefix: string;
  /** Address of the service, e.g. `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
}

const HINT =
  "Use a location such as s3://city-files/permits?region=eu-central-1. For an S3-compatible service, add its " +
  "address, as in s3://city-files/permits?endpoint=https://minio.example.org.";

/**
 * Parses a location such as `s3://bucket/prefix?endpoint=https://minio.example.org`. `defaultRegion` is the region if the
 * location names none. Throws `INVALID_ARGS`.
 */
export function parseS3Location(text: string, defaultRegion = "us-east-1"): S3Location {
  const url = URL.parse(text);
  if (url === null || url.protocol !== S3_SCHEME) throw invalid("It is not a valid s3:// URL.");
  if (url.username !== "" || url.password !== "") {
    throw new SvcError("INVALID_ARGS", "Location of files: It contains credentials, which other users could read.", {
      hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use --files-credentials.",
    });
  }
  const { hostname: bucket, searchParams } = url;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw invalid(bucket === "" ? "It has no bucket name." : `${bucket} is not a valid bucket name.`);
  }
  const path = url.pathname.replace(/^\/+|\/+$/g, "");
  if (!/^[A-Za-z0-9._\/-]*$/.test(path)) {
    throw invalid(`The prefix ${path} may contain only letters, digits, ".", "_", "-" and "/".`);
  }
  for (const name of searchParams.keys()) {
    if (name !== "endpoint" && name !== "region") throw invalid(`${name} is not an option. Use endpoint or region.`);
  }
  const region = searchParams.get("region") ?? defaultRegion;
  const endpoint = searchParams.get("endpoint") ?? `https://s3.${region}.amazonaws.com`;
  return { bucket, prefix: path === "" ? "" : `${path}/`, endpoint: checkEndpoint(endpoint), region };
}

/** Checks the address of a service. Files are personal data, so they are sent in plain text only within this machine. */
function checkEndpoint(endpoint: string): string {
  const url = URL.parse(endpoint);
  const isSafe = url !== null &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname)));
  if (!isSafe) {
    throw invalid(`The endpoint ${endpoint} must begin with https://, or with http:// for a loopback address.`);
  }
  if (url.pathname !== "/" || url.search !== "" || url.username !== "") {
    throw invalid(`The endpoint ${endpoint} must have no path, no query and no user name.`);
  }
  return url.origin;
}

function invalid(problem: string): SvcError {
  return new SvcError("INVALID_ARGS", `Location of files: ${problem}`, { hint: HINT });
}
