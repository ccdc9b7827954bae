import * as esbuild from "esbuild"

/**
 * Bundles the entry of a page into one module for browsers, minified, without a source map. Rejects
 * with the words of the bundler.
 *
 * @param entry absolute
 */
export const bundlePageScript = async (entry: string): Promise<string> => {
  const { outputFiles } = await esbuild.build({
    entryPoints: [entry],
    write: false,
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent"
  })
  const [script] = outputFiles
  if (script === undefined) throw new Error("esbuild gave no script")
  return script.text
}
