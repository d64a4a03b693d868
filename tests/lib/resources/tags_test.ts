/** The requests and calls of `svc tags`. */
import { C, CASE } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

testOperations("tags", {
  requests: {
    [`tags list ${C}`]: { request: `GET ${CASE}/tags` },
    [`tags add ${C} --tag hot --tag 'old, big'`]: {
      request: `POST ${CASE}/tags`,
      body: { tags: [{ Name: "hot" }, { Name: "old, big" }] },
    },
    [`tags delete ${C} --tag hot`]: { request: `DELETE ${CASE}/tags/hot` },
  },
  steps: [
    { line: "tags add '{permit}' --tag Hot --tag 'old, big'", says: { "0.ID": "hot", "1.status": "201" } },
    { line: "tags list '{permit}'", says: { "tagsList.1.tagName": "old, big" } },
    { line: "tags delete '{permit}' --tag hot" },
  ],
});
