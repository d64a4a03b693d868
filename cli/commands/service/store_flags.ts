import type { Flag } from "../command.ts";
import { storePasswordFlags } from "../store_password.ts";

/** The flag for the credentials of a bucket. */
export const filesCredentialsFlag = {
  filesCredentials: {
    help: "File with the credentials of the bucket (default: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
    type: "path",
    placeholder: "file",
  },
} as const satisfies Record<string, Flag>;

/** The flags that select where uploaded files are stored. */
export const filesFlags = {
  files: {
    help: "With a PostgreSQL --store, location of uploaded files: 'database', a directory or s3://<bucket>/<prefix> " +
      "(default: the last one used, or database)",
    type: "string",
    placeholder: "location",
  },
  ...filesCredentialsFlag,
} as const satisfies Record<string, Flag>;

/** The flags that select the database of the service. */
export const storeFlags = {
  store: {
    help: "Database: 'sqlite', or postgres://<user>@<host>:<port>/<database> (default: the last one used, or sqlite)",
    type: "string",
    placeholder: "location",
  },
  ...storePasswordFlags,
} as const satisfies Record<string, Flag>;
