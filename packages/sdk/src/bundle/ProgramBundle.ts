import * as esbuild from "esbuild"

/**
 * Bundles a program of the service's own into one CommonJS script, such as a process behind the walls of a room runs.
 * Rejects with the words of the bundler.
 *
 * @param entry absolute
 */
export const bundleProgram = async (entry: string): Promise<Uint8Array> => {
  const { outputFiles } = await esbuild.build({
    entryPoints: [entry],
    write: false,
    bundle: true,
    platform: "neutral",
    mainFields: ["module", "main"],
    format: "cjs",
    target: "es2024",
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent"
  })
  const [script] = outputFiles
  if (script === undefined) throw new Error("esbuild gave no script")
  return script.contents
}
