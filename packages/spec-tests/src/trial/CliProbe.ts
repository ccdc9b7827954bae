export interface CliRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CliOptions {
  /** Default: an empty folder of this check's own. */
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Ends it after that; default 45 s. A command that does not end by itself is killed. */
  readonly forMs?: number
  /** Ends it as soon as this is settled, given what it has printed: for a command that does not end by itself. */
  readonly until?: (said: () => string) => Promise<unknown>
  /** Its home; default: an empty folder of this run's own. */
  readonly home?: string
}

export interface CliProject {
  /** `declaring`: its schema names the project `id`. `breaking`: its schema breaks with that of `plain`. */
  readonly kind?: "plain" | "declaring" | "breaking"
  readonly id?: string
  /** Name of the folder itself. */
  readonly name?: string
  /** Further files by name. */
  readonly files?: Readonly<Record<string, string>>
}

/** The command-line tool under test. */
export interface CliProbe {
  /** An empty folder, removed with the check; `files` by name. */
  folder(files?: Readonly<Record<string, string>>): Promise<string>
  /** A folder with room code; `Untestable` when the configuration names none. */
  project(project?: CliProject): Promise<string>
  /** `Unsupported` when the configuration names no tool. Without a login unless `env` brings one. */
  run(args: ReadonlyArray<string>, options?: CliOptions): Promise<CliRun>
  /** The same, logged in to the service under test as account 0. */
  runLoggedIn(args: ReadonlyArray<string>, options?: CliOptions): Promise<CliRun>
}
