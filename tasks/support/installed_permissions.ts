/** Permissions with which the README installs svc with all features. Tests and laboratories run it with the same. */
export const INSTALLED_PERMISSIONS: readonly string[] = [
  "--no-prompt",
  "--allow-net=127.0.0.1",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-sys=uid",
  "--allow-run",
];
