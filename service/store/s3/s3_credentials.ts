/** Reads the credentials of a bucket. */
import { SvcError } from "../../../lib/errors.ts";

/** A key of S3. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Token of a temporary key. */
  readonly sessionToken?: string;
}

const HINT = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file with --files-credentials that has the " +
  "lines 'aws_access_key_id = …' and 'aws_secret_access_key = …'.";

/** Reads credentials from a file in the format of the AWS command line, or from the environment. Throws `INVALID_CONFIG`. */
export async function readS3Credentials(file?: string): Promise<S3Credentials> {
  const read = file === undefined ? (name: string) => Deno.env.get(name.toUpperCase()) : await readFile(file);
  const [accessKeyId, secretAccessKey] = [read("aws_access_key_id"), read("aws_secret_access_key")];
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { accessKeyId, secretAccessKey, sessionToken: read("aws_session_token") };
  }
  const where = file === undefined ? "The environment has" : `The file ${file} has`;
  const name = accessKeyId === undefined ? "aws_access_key_id" : "aws_secret_access_key";
  throw new SvcError("INVALID_CONFIG", `${where} no ${file === undefined ? name.toUpperCase() : name}.`, {
    hint: HINT,
  });
}

/** Reads the first section of a file. Its values can change while the service runs. */
async function readFile(file: string): Promise<(name: string) => string | undefined> {
  const text = await Deno.readTextFile(file).catch((cause) => {
    throw new SvcError("INVALID_CONFIG", `The file ${file} with the credentials of the bucket cannot be read.`, {
      cause,
      hint: "Check that it exists and that you may read it.",
    });
  });
  const values = new Map<string, string>();
  for (const [, name = "", value = ""] of text.matchAll(/^\s*(\w+)\s*=\s*(\S+)\s*$/gm)) {
    if (!values.has(name)) values.set(name, value);
  }
  return (name) => values.get(name);
}
