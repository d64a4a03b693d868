/** Reads the credentials of a bucket. */
import { SvcError } from "../../../lib/errors.ts";

/** The credentials of a bucket. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Token of temporary credentials. */
  readonly sessionToken?: string;
}

const HINT = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use --files-credentials with a file that " +
  "contains the lines 'aws_access_key_id = …' and 'aws_secret_access_key = …'.";

/** Reads credentials from a file in the format of the AWS command line, or from the environment. Throws `INVALID_CONFIG`. */
export async function readS3Credentials(file?: string): Promise<S3Credentials> {
  const read = file === undefined ? (name: string) => Deno.env.get(name.toUpperCase()) : await readFile(file);
  const [accessKeyId, secretAccessKey] = [read("aws_access_key_id"), read("aws_secret_access_key")];
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { accessKeyId, secretAccessKey, sessionToken: read("aws_session_token") };
  }
  const name = accessKeyId === undefined ? "aws_access_key_id" : "aws_secret_access_key";
  const problem = file === undefined
    ? `The variable ${name.toUpperCase()} is not set.`
    : `The file ${file} has no ${name}.`;
  throw new SvcError("INVALID_CONFIG", problem, { hint: HINT });
}

/** Reads a file. If it contains profiles, only the profile `default` counts. */
async function readFile(file: string): Promise<(name: string) => string | undefined> {
  const text = await Deno.readTextFile(file).catch((cause) => {
    throw new SvcError("INVALID_CONFIG", `The credentials file ${file} cannot be read.`, {
      cause,
      hint: "Check that it exists and that you may read it.",
    });
  });
  const [start = "", ...profiles] = text.split(/^\s*\[/m);
  const profile = profiles.find((one) => /^\s*default\s*\]/.test(one)) ?? start;
  const values = new Map(
    profile.matchAll(/^\s*(\w+)\s*=\s*(\S+)\s*$/gm).map(([, name = "", value = ""]) => [name, value]),
  );
  return (name) => values.get(name);
}
