/** Arguments that operations share, and their places in the requests. */

/** Handle of a case. */
export const C = "'ACME-WORK C-1'";

/** Path of the case. */
export const CASE = "/cases/ACME-WORK%20C-1";

/** Content and page instructions. */
export const CONTENT =
  `--data '{"Name":"Ada"}' --page-instructions '[{"instruction":"DELETE","target":".Items","listIndex":1}]'`;

/** Value of `--data` in `CONTENT`. */
export const content = { Name: "Ada" };

/** Value of `--page-instructions` in `CONTENT`. */
export const pageInstructions = [{ instruction: "DELETE", target: ".Items", listIndex: 1 }];

/** Attachments. */
export const ATTACHMENTS = `--attachments '[{"type":"URL","category":"URL","name":"Site","url":"https://x.example"}]'`;

/** Value of `ATTACHMENTS`. */
export const attachments = [{ type: "URL", category: "URL", name: "Site", url: "https://x.example" }];

/** A calculation. */
export const CALCULATION = `--data '{"calculations":{"fields":[{"name":".Total","context":"content"}]}}'`;

/** Value of `CALCULATION`. */
export const calculation = { calculations: { fields: [{ name: ".Total", context: "content" }] } };

/** A page of interest. */
export const INTEREST = "--interest-page '.Items(1)' --interest-page-action-id EditItem";

/** Members of the body for `INTEREST`. */
export const interest = { interestPage: ".Items(1)", interestPageActionID: "EditItem" };

/** Other flags of a refresh. */
export const REFRESH = "--operation showRow --refresh-for .Name --context-data --fill-form-with-ai";

/** The query for `REFRESH`. Its body has `contextData`. */
export const REFRESH_QUERY = "operation=showRow&refreshFor=.Name&fillFormWithAI=true";

/** A calculation of a condition. */
export const CONDITION = `--data '{"calculations":{"whens":[{"name":"HasFee","context":"content"}]}}'`;

/** Value of `CONDITION`. */
export const condition = { calculations: { whens: [{ name: "HasFee", context: "content" }] } };

/** ID of an agent. */
export const AGENT = "@baseclass!Guide";

/** The ID in a path. */
export const AGENT_SEGMENT = "%40baseclass!Guide";

/** Case type of the sample application. */
export const PERMIT = "City-Permit-Work-Permit";

/** Calculation of the fee of a permit. */
export const FEE = `--data '{"calculations":{"fields":[{"name":".Fee","context":"content"}]}}'`;

/** Path of the fee in a response. */
export const fee = "data.caseInfo.content.Fee";
