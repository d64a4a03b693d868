/** A part of the sources, and the tests that must notice a change of it. */
export interface Subject {
  readonly name: string;
  /** Folder of the sources. */
  readonly sources: string;
  /** Files and folders of the tests. */
  readonly tests: readonly string[];
  /** Tests in these folders that take too long to run for each mutant. */
  readonly skipped?: readonly string[];
}

/** The subjects of `deno task mutants`. */
export const SUBJECTS: readonly Subject[] = [
  {
    name: "engine",
    sources: "workflows/engine",
    tests: ["tests/workflows/engine", "tests/workflows/runs"],
    skipped: [
      "tests/workflows/engine/crash_test.ts",
      "tests/workflows/engine/network_faults_test.ts",
      "tests/workflows/runs/stalled_output_test.ts",
    ],
  },
  {
    name: "access",
    sources: "service/access",
    tests: ["tests/service/access", "tests/service/http/access_test.ts", "tests/service/http/token_test.ts"],
  },
  {
    name: "http",
    sources: "service/http",
    tests: ["tests/service/http", "tests/service/server/files_test.ts", "tests/service/server/log_format_test.ts"],
    skipped: ["tests/service/http/once_crash_test.ts"],
  },
  { name: "forms", sources: "lib/forms", tests: ["tests/lib/forms"], skipped: ["tests/lib/forms/hostile_test.ts"] },
];
