import type { InitAnswers } from "./InitAnswers.ts"
import { packageNameOf } from "./PackageName.ts"

/** What the files of a project depend on. */
export interface ProjectAnswers extends InitAnswers {
  /** Address of the service that hands out the packages. */
  readonly service: string
  /** ` --url <service>` where commands do not find the service by themselves. */
  readonly at: string
}

/** Path of a file, relative to the project, and its text. */
export type TextFiles = Readonly<Record<string, string>>

/** Versions of public packages. They run on Node 20. */
export const templateVersions: Readonly<Record<string, string>> = {
  esbuild: "0.28.2",
  "fast-check": "4.10.2",
  typescript: "7.0.2",
  vitest: "4.1.12"
}

/** Packages that every project has for its build and its types. */
const alwaysInstalled = ["esbuild", "typescript"]

/**
 * All files of a new project: those of the example as they are, and what an example has from the
 * repository around it.
 *
 * @param example the texts of the example's folder, and `build.mjs` of the folder around it
 */
export const templateFiles = (answers: ProjectAnswers, example: TextFiles): TextFiles => {
  const { "README.md": readme = "", "package.json": _, "service.json": __, ...code } = example
  return {
    ...Object.fromEntries(Object.entries(code).map(([path, text]) => [path, ownTitles(text)])),
    "README.md": readmeOf(answers, readme),
    "package.json": json(packageOf(answers, code)),
    "service.json": json({ name: answers.name, ...(answers.static ? { static: "dist" } : {}) }),
    "tsconfig.json": json(tsconfig),
    ".gitignore": "node_modules/\ndist/\n.env*\n*.log\n"
  }
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** Titles of tests without the rule of this repository that they prove. */
const ownTitles = (text: string): string => text.replace(/\[example\.[\w-]+\] /g, "")

const packageOf = (answers: ProjectAnswers, code: TextFiles) => {
  const packages = [...new Set([...alwaysInstalled, ...importsOf(code)])].toSorted()
  return {
    name: packageNameOf(answers.name, ["@atrium/sdk", "@atrium/cli", ...packages]),
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: scriptsOf(answers),
    dependencies: { "@atrium/sdk": `${answers.service}/sdk.tgz` },
    devDependencies: {
      "@atrium/cli": `${answers.service}/cli.tgz`,
      ...Object.fromEntries(packages.map((name) => [name, versionOf(name)]))
    }
  }
}

const scriptsOf = ({ static: hosted, at }: ProjectAnswers) => {
  const build = `node build.mjs${at}`
  return {
    dev: `${build} -- atrium dev${at}`,
    build,
    test: "vitest run --testTimeout=30000",
    check: "tsc",
    // The first deploy of the room makes the project, whose id the page needs.
    deploy: hosted
      ? `atrium deploy --no-static${at} && ${build} && atrium deploy --static${at}`
      : `atrium deploy${at}`
  }
}

const versionOf = (name: string): string => {
  const version = templateVersions[name]
  if (version === undefined) throw new Error(`${name}: templateVersions has no version of it`)
  return version
}

/** The packages that the code imports, but for the SDK and Node's own modules. */
const importsOf = (code: TextFiles): ReadonlyArray<string> =>
  Object.entries(code)
    .filter(([path]) => /\.m?[jt]s$/.test(path))
    .flatMap(([, text]) => [...text.matchAll(/^(?:import|\}) .*?from "([^"]+)"$/gm)])
    .flatMap(([, from = ""]) => (/^(?:\.|node:|@atrium\/)/.test(from) ? [] : [from]))

/** The rules of the examples' own compiler, with what Node 20 and the browsers of its time have. */
const tsconfig = {
  compilerOptions: {
    target: "es2022",
    lib: ["es2023", "es2024.string", "dom", "dom.iterable"],
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true
  },
  include: ["*.ts"]
}

/** The commands, then what the example says of its files and of what to notice. */
const readmeOf = (answers: ProjectAnswers, readme: string): string => {
  const { name, template, service, static: hosted } = answers
  const parts = readme.trim().split("\n\n")
  const files = parts.find((part) => part.startsWith("- `schema.ts`"))
  const at = parts.indexOf("What to notice:")
  const notice = at < 0 ? [] : parts.slice(at)
  const what = hosted ? "the room, then the page" : "the room"
  return [
    `# ${name}`,
    `A game on Atrium, from the template \`${template.name}\`.`,
    [
      "```sh",
      "npm install",
      "npm run dev      # the room on the service, and the page; both again on every change",
      "npm test         # the rules, in one process with virtual time",
      "npm run check    # the types",
      "npm run build    # the page, into dist/",
      `npm run deploy   # ${what}, to ${service}`,
      "```"
    ].join("\n"),
    ...(files === undefined ? [] : [files]),
    ...notice,
    `The packages come from that service. When it has been updated, install them again:\n\`npm install ${service}/sdk.tgz ${service}/cli.tgz\`. \`npx atrium --help\` lists what else the command does.`
  ]
    .join("\n\n")
    .concat("\n")
}
