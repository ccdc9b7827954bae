import * as esbuild from "esbuild"

/** Options of the bundler for one CommonJS script that runs behind the walls of a room, without Node's modules. */
export const oneScript = {
  write: false,
  bundle: true,
  platform: "neutral",
  mainFields: ["module", "main"],
  format: "cjs",
  target: "es2024",
  charset: "utf8",
  legalComments: "none",
  logLevel: "silent"
} satisfies esbuild.BuildOptions

/**
 * Bundles a program of the service's own into one CommonJS script, such as a process behind the walls of a room runs.
 * Rejects with the words of the bundler.
 *
 * @param entry absolute
 */
export const bundleProgram = async (entry: string): Promise<Uint8Array> => {
  const { outputFiles } = await esbuild.build({
    entryPoints: [entry],
    ...oneScript
  })
  const [script] = outputFiles
  if (script === undefined) throw new Error("esbuild gave no script")
  return script.contents
}
