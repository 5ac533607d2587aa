/** Where this repository lies, seen from compiled tests (dist/test/support/). */

const ROOT = new URL('../../../', import.meta.url);

/** @param path Relative to the repository's top, with slashes. */
export function repositoryUrl(path: string): URL {
  return new URL(path, ROOT);
}
