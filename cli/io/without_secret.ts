/** Environment of a program that does not need the secret of the client, such as an editor. */
export const WITHOUT_SECRET = { SVC_CLIENT_SECRET: "" };
