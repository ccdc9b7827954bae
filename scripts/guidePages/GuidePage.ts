import { spawn } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** What a page of docs/guide has for programs. */
interface GuidePage {
  /** The text of each block of code by the file that its first line names; code without a name is left out. */
  readonly files: ReadonlyMap<string, string>
  /** The page's project file; `{}` when it shows none. */
  readonly project: object
  /** What the page says that its program prints. */
  readonly output: string
  /** Every block of text, in order: that of the program is the first one. */
  readonly texts: ReadonlyArray<string>
}

/** Reads a page, with the service and the project that its code is to ask. */
export const guidePage = async (
  name: string,
  { url, project }: { readonly url: string; readonly project: string } = exampleService
): Promise<GuidePage> => {
  const text = (await readFile(join(root, `docs/guide/${name}.md`), "utf8"))
    .replaceAll(exampleService.url, url)
    .replaceAll(exampleService.project, project)
  const blocksOf = (language: string): ReadonlyArray<string> =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"))].map(
      ([, block = ""]) => block
    )
  const named = [...blocksOf("ts"), ...blocksOf("tsx")].flatMap((code) => {
    const path = /^\/\/ (\S+\.tsx?)\n/.exec(code)?.[1]
    return path === undefined ? [] : [[path, code] as const]
  })
  return {
    files: new Map(named),
    project: JSON.parse(blocksOf("json")[0] ?? "{}"),
    output: blocksOf("text")[0] ?? "",
    texts: blocksOf("text")
  }
}

const exampleService = { url: "http://127.0.0.1:8787", project: "p_0123456789abcdef" }

/** A folder with files, beside a `node_modules` of the repository. */
export interface GuideFolder {
  readonly path: string
  /** Runs a program of Node there. @returns all that it writes */
  readonly run: (argv: ReadonlyArray<string>, env?: NodeJS.ProcessEnv) => Promise<string>
  readonly remove: () => Promise<void>
}

export const guideFolder = async (files: ReadonlyMap<string, string>): Promise<GuideFolder> => {
  const path = await mkdtemp(join(tmpdir(), "atrium-guide-"))
  await symlink(join(root, "node_modules"), join(path, "node_modules"))
  await writeFile(join(path, "package.json"), '{"type":"module"}')
  for (const [name, text] of files) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), text)
  }
  return {
    path,
    run: (argv, env = {}) =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, [...argv], {
          cwd: path,
          env: { ...process.env, ...env },
          stdio: ["ignore", "pipe", "pipe"]
        })
        let written = ""
        for (const stream of [child.stdout, child.stderr]) {
          stream.setEncoding("utf8").on("data", (part: string) => (written += part))
        }
        child.on("close", () => resolve(written))
      }),
    remove: () => rm(path, { recursive: true })
  }
}
