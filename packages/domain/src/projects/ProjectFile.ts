import { Result, Schema, SchemaIssue } from "effect"

import { AudienceRole } from "../audience/AudienceRole.ts"

/** The keys of `service.json` that commands go by; all others are left alone. Spec: Project file. */
export interface ProjectFile {
  readonly project?: string
  readonly name?: string
  /** Path of the client's entry, relative to the file. */
  readonly client?: string
}

/** Keys of the file that `deploy` sets on the project; an absent key changes nothing. */
export interface DeclaredSettings {
  readonly audienceRole?: string | null
}

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
 * Reads it for all other commands: a bad `project` is as good as none, and `client` is not looked
 * at; a bad `name` is refused, as by every reader. Spec: Project file, Validation; T-13, T-14.
 */
export const readProjectKey = (text: string): Result.Result<ProjectFile, string> =>
  Result.flatMap(parse(text), (json) =>
    Result.mapBoth(decodeOthers(json), {
      onFailure: problemOf,
      onSuccess: ({ project }): ProjectFile =>
        typeof project === "string" && project !== "" ? { project } : {}
    })
  )

const decodeDeclared = Schema.decodeUnknownResult(
  Schema.Struct({ audienceRole: Schema.optionalKey(AudienceRole) })
)

/**
 * Reads what the text of a project file declares of the project's settings, for `deploy` alone. Fails
 * with what is wrong, the key first. Spec: Project file, Which command reads which keys.
 *
 * @param text "" for a file that is not there
 */
export const readDeclared = (text: string): Result.Result<DeclaredSettings, string> =>
  text === ""
    ? Result.succeed({})
    : Result.flatMap(parse(text), (json) =>
        Result.mapError(decodeDeclared(json), ({ issue }) => {
          const [first] = issuesOf(issue).issues
          return `${(first?.path ?? []).map(String).join(".")}: ${first?.message ?? "not valid"}`
        })
      )

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
 * The text with the project's id as first key. What was there stays, byte for byte.
 *
 * @param text a JSON object without `project`, or "" for a file that is not there
 */
export const withProject = (text: string, id: string): string => {
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
