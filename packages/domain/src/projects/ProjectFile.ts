import { nearestName } from "@atrium/wire/schema/UnknownKey"
import { Result, Schema, SchemaIssue } from "effect"

import { type DeclaredSettings, readSettings } from "./DeclaredSettings.ts"

/** The keys of `service.json` that commands go by; all others are left alone. Spec: Project file. */
export interface ProjectFile {
  readonly project?: string
  readonly name?: string
  /** Path of the client's entry, relative to the file. */
  readonly client?: string
}

/** The key `static` of a project file: the site of the project. */
export interface StaticKey {
  /** The folder, relative to the file. */
  readonly dir: string
  /** `null` = the service chooses the label. */
  readonly label: string | null
}

/** The keys that a deploy sets on the project. */
const declaredKeys = ["queues", "boards", "origins", "audienceRole", "preRelease"] as const
const knownKeys = ["project", "name", "client", "static", ...declaredKeys]

/** Where the id of a project was found. */
export interface ResolvedProject {
  readonly id: string
  readonly source: "--project" | "file" | "schema" | "default"
}

const decode = Schema.decodeUnknownResult(
  Schema.Struct({
    project: Schema.optionalKey(Schema.NonEmptyString),
    name: Schema.optionalKey(Schema.NonEmptyString),
    client: Schema.optionalKey(Schema.NonEmptyString)
  })
)
/** For commands that only want to know the project. A bad one is found there, not here. */
const decodeOthers = Schema.decodeUnknownResult(
  Schema.Struct({
    project: Schema.optionalKey(Schema.Unknown),
    name: Schema.optionalKey(Schema.NonEmptyString)
  })
)
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Reads the text of a project file for `deploy` and `dev`. Fails with what is wrong, the key first;
 * the caller names the file. Spec: Project file, Validation.
 */
export const readProjectFile = (text: string): Result.Result<ProjectFile, string> =>
  Result.flatMap(parse(text), (json) => Result.mapError(decode(json), problemOf))

/**
 * Reads it for all other commands, `deploy --static` among them: a bad `project` is as good as none,
 * and `client` is not looked at; a bad `name` is refused, as by every reader. Spec: Project file,
 * Validation; T-13, T-14.
 */
export const readProjectKey = (text: string): Result.Result<ProjectFile, string> =>
  Result.flatMap(parse(text), (json) =>
    Result.mapBoth(decodeOthers(json), {
      onFailure: problemOf,
      onSuccess: ({ project, name }): ProjectFile => ({
        ...(typeof project === "string" && project !== "" ? { project } : {}),
        ...(name === undefined ? {} : { name })
      })
    })
  )

/**
 * Reads the key `static`. Fails with what is wrong, the key first; the caller names the file. Spec:
 * Project file, static and Validation.
 *
 * @param text "" for a file that is not there
 * @returns `null` = the file has no such key
 */
export const readStatic = (text: string): Result.Result<StaticKey | null, string> =>
  text === ""
    ? Result.succeed(null)
    : Result.flatMap(parse(text), (json) => {
        const [entry] = entryOf(json, "static")
        return entry === undefined ? Result.succeed(null) : staticOf(entry[1])
      })

const staticOf = (value: unknown): Result.Result<StaticKey, string> => {
  const key: { readonly dir?: unknown; readonly label?: unknown } =
    typeof value === "string" ? { dir: value } : isObject(value) ? value : {}
  const { dir, label } = key
  if (typeof dir !== "string" || dir === "") {
    return Result.fail("static: must be the path of a folder, or an object with it as dir")
  }
  if (label === undefined) return Result.succeed({ dir, label: null })
  return typeof label === "string" && label !== ""
    ? Result.succeed({ dir, label })
    : Result.fail("static.label: must be a non-empty string")
}

/**
 * Reads what the text of a project file declares of the project's settings, for `deploy` alone. Fails
 * with the service's own message. Spec: Project file, Which command reads which keys; T-108.
 *
 * @param text "" for a file that is not there
 */
export const readDeclared = (text: string): Result.Result<DeclaredSettings, string> =>
  text === ""
    ? Result.succeed({})
    : Result.flatMap(parse(text), (json) =>
        readSettings(Object.fromEntries(declaredKeys.flatMap((key) => entryOf(json, key))))
      )

/** What no command reads, with the key that was probably meant. Source: C-322. */
export const unknownKeysOf = (text: string): ReadonlyArray<string> =>
  Result.match(parse(text), {
    onFailure: () => [],
    onSuccess: (json) =>
      isObject(json)
        ? Object.keys(json)
            .filter((key) => !knownKeys.includes(key))
            .map((key) => {
              const nearest = nearestName(key, knownKeys)
              const hint = nearest === null ? "" : `; did you mean ${nearest}?`
              return `${JSON.stringify(key)} is no key of a project file and is ignored${hint}`
            })
        : []
  })

const isObject = (json: unknown): json is object =>
  typeof json === "object" && json !== null && !Array.isArray(json)

const entryOf = (json: unknown, key: string): ReadonlyArray<readonly [string, unknown]> =>
  isObject(json) && Object.hasOwn(json, key) ? [[key, Reflect.get(json, key)]] : []

const problemOf = (error: Schema.SchemaError): string => {
  const key = issuesOf(error.issue).issues[0]?.path?.[0]
  return key === undefined ? "not a JSON object" : `${String(key)}: must be a non-empty string`
}

const parse = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => `not valid JSON: ${error instanceof Error ? error.message : String(error)}`
  })

/**
 * The text with the project's id as first key. What was there stays, byte for byte; only a text with
 * a `project` that is no id is written anew.
 *
 * @param text a JSON object, or "" for a file that is not there
 */
export const withProject = (text: string, id: string): string => {
  const json = Result.getOrElse(parse(text), () => null)
  if (isObject(json) && Object.hasOwn(json, "project")) {
    return `${JSON.stringify({ ...json, project: id }, null, 2)}\n`
  }
  const key = `"project": ${JSON.stringify(id)}`
  const [head = "", space = ""] = /^\s*\{(\s*)/.exec(text) ?? []
  const rest = text.slice(head.length)
  if (head === "") return `{\n  ${key}\n}\n`
  if (rest.startsWith("}")) return `${head.trimEnd()}\n  ${key}\n${rest}`
  return `${head}${key},${space === "" ? " " : space}${rest}`
}

/** Spec: Resolution order, deploy. The schema is asked only when nothing else names a project. */
export const projectOfDeploy = (sources: {
  readonly flag: string | null
  readonly file: ProjectFile
  readonly schema: string | null
}): ResolvedProject | null => {
  const { flag, file, schema } = sources
  if (flag !== null) return { id: flag, source: "--project" }
  if (file.project !== undefined) return { id: file.project, source: "file" }
  return schema === null ? null : { id: schema, source: "schema" }
}

/** Spec: Resolution order, all but deploy and dev: the schema is not asked. */
export const projectOfOthers = (sources: {
  readonly flag: string | null
  readonly file: ProjectFile
}): ResolvedProject | null => projectOfDeploy({ ...sources, schema: null })

/** Spec: Resolution order, dev. */
export const projectOfDev = (file: ProjectFile): ResolvedProject =>
  file.project === undefined
    ? { id: "dev", source: "default" }
    : { id: file.project, source: "file" }

/** The name under which a deploy creates its project. Spec: Project file, name. */
export const nameOfProject = (sources: {
  readonly flag: string | null
  readonly file: ProjectFile
  readonly directory: string
}): string => sources.flag ?? sources.file.name ?? sources.directory
