/** The requests and calls of `svc static-content`. */
import { CHECKOUT } from "../../harness/svc.ts";
import { testOperations } from "./_operation_tests.ts";

const STATIC = `${CHECKOUT}/service/sample/static`;

testOperations("staticContent", {
  requests: {
    [`static-content component Map`]: { request: "GET /components/Map" },
    [`static-content file logo.png -o logo.png`]: { request: "GET /files/logo.png" },
    [`static-content profile-image rep@acme`]: { request: "GET /users/rep%40acme/profile-image" },
  },
  steps: [
    { line: "static-content component City_Map -o map.js", file: ["map.js", `${STATIC}/components/City_Map.js`] },
    { line: "static-content file fees.csv --output fees.csv", file: ["fees.csv", `${STATIC}/files/fees.csv`] },
    {
      line: "static-content profile-image clerk@city -o clerk.png",
      file: ["clerk.png", `${STATIC}/profile-images/clerk@city.png`],
    },
  ],
});
