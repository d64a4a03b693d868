/** Opens the storage of uploaded files that an option selects. */
import { resolve } from "node:path";
import type { ByteStore } from "./bytes.ts";
import type { S3Location } from "./s3/s3_location.ts";
import { openBytes } from "./bytes_on_disk.ts";

/** Value of the option that keeps files in the database. */
export const IN_DATABASE = "database";

/** Options of the storage of files. */
export interface FilePlaceOptions {
  /** File with the credentials of a bucket. Default: the variables `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`. */
  readonly filesCredentials?: string;
}

/** Reports whether a location is a bucket. Any other location is a directory. */
export function isBucket(place: string): boolean {
  return place.startsWith("s3:");
}

/** Opens a directory, or a bucket such as `s3://city-files/permits`. Throws `INVALID_ARGS` for an invalid location. */
export async function openFilePlace(place: string, { filesCredentials }: FilePlaceOptions = {}): Promise<ByteStore> {
  if (!isBucket(place)) return openBytes(resolve(place));
  const { readS3Credentials } = await import("./s3/s3_credentials.ts");
  const { Bucket } = await import("./s3/bucket.ts");
  const { openBucketBytes } = await import("./s3/bucket_bytes.ts");
  const location = await locateBucket(place);
  return openBucketBytes(new Bucket(location, () => readS3Credentials(filesCredentials)));
}

/** Parses the location of a bucket. Throws `INVALID_ARGS`. */
export async function locateBucket(place: string): Promise<S3Location> {
  const { parseS3Location } = await import("./s3/s3_location.ts");
  return parseS3Location(place, Deno.env.get("AWS_REGION") ?? Deno.env.get("AWS_DEFAULT_REGION"));
}
