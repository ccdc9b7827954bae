import type { Project } from "./Project.ts"

/** Room code that the suite ships: what each must do is in docs/conformance-adapter.md. */
export type FixtureName = "probe" | "next" | "elsewhere"

/** A schema in numbers; what is absent is none. */
export interface SchemaDescription {
  /** Fields of one entity. */
  readonly entityFields?: number
  /** Fields of one singleton. */
  readonly singletonFields?: number
  readonly messages?: number
  readonly clientRpcs?: number
  readonly serverRpcs?: number
  /** The most bytes that the persisted fields of one player take when they are stored. */
  readonly playerBytes?: number
}

export interface FixtureProbe {
  /** Deploys room code to a project; `Unsupported` when there is no adapter for it. */
  deploy(project: Project, fixture: FixtureName): Promise<void>
  /** Whether the schema library takes a schema: `null`, or the words of its refusal. */
  schema(description: SchemaDescription): Promise<string | null>
}
