/** The requests and calls of `svc followers`. */
import { C, CASE } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

testOperations("followers", {
  requests: {
    [`followers list ${C}`]: { request: `GET ${CASE}/followers` },
    [`followers add ${C} --user rep@acme`]: {
      request: `POST ${CASE}/followers`,
      body: { users: [{ ID: "rep@acme" }] },
    },
    [`followers delete ${C} --user rep@acme`]: { request: `DELETE ${CASE}/followers/rep%40acme` },
  },
  steps: [
    { line: "followers add '{permit}' --user reviewer@city", says: { "0.status": "201" } },
    {
      line: "followers list '{permit}'",
      says: { "followers.0.id": "reviewer@city", "followers.0.name": "Rosa Reviewer" },
    },
    { line: "followers delete '{permit}' --user reviewer@city" },
  ],
});
