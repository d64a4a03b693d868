/** Environment variables for other programs, such as an editor, without the client secret. */
export const WITHOUT_SECRET = { SVC_CLIENT_SECRET: "" };
