import type { Project } from "./Project.ts"

/** Room code that the suite ships: what each must do is in docs/conformance-adapter.md. */
export type FixtureName =
  | "probe"
  | "windowed"
  | "large"
  | "xlarge"
  | "small"
  | "hungry"
  | "breaking"
  | "relay"

export interface FixtureProbe {
  /** Deploys room code to a project; `Unsupported` when there is no adapter for it. */
  deploy(project: Project, fixture: FixtureName): Promise<void>
  /** Whether the schema library takes a schema: `null`, or the words of its refusal. */
  schema(description: unknown): Promise<string | null>
}
