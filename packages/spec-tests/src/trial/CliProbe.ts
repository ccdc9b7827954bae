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
  /** Ends it after that; default 15 s. A command that does not end by itself is killed. */
  readonly forMs?: number
}

/** The command-line tool under test. */
export interface CliProbe {
  /** An empty folder, removed with the check; `files` by name. */
  folder(files?: Readonly<Record<string, string>>): Promise<string>
  /** `Unsupported` when the configuration names no tool. Without a login unless `env` brings one. */
  run(args: ReadonlyArray<string>, options?: CliOptions): Promise<CliRun>
  /** The same, logged in to the service under test as account 0. */
  runLoggedIn(args: ReadonlyArray<string>, options?: CliOptions): Promise<CliRun>
}
