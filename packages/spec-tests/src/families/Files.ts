import { holds, same } from "../check/Expect.ts"
import type { FileRow, Json } from "../sections/Row.ts"

/** The outcome of a command on a project file. */
export interface FileRun {
  readonly code: number
  readonly stderr: string
}

export interface FileBench {
  /** Runs a command in a folder whose project file holds this and nothing else. */
  readonly run: (command: string, file: Readonly<Record<string, Json>>) => Promise<FileRun>
  /** Further keys of the file, without which the command would refuse for another reason. */
  readonly rest?: Readonly<Record<string, Json>>
  /** The texts that the refusal of a value must name, where the row's `names` are not literal. */
  readonly naming?: (bad: Json) => ReadonlyArray<string>
  /** Commands of the row that are asked; default all. */
  readonly commands?: ReadonlyArray<string>
}

/** Every bad value with every command of the row has its verdict, and no good one has. */
export const fileChecks = async (row: FileRow, bench: FileBench): Promise<void> => {
  const { run, rest = {}, commands = row.commands } = bench
  for (const command of commands) {
    const without = row.verdict === "absent" ? await run(command, rest) : null
    for (const value of row.good) {
      const ran = await run(command, { ...rest, [row.key]: value })
      const what = `${row.ids[0]}: ${command} with ${row.key} ${JSON.stringify(value)}`
      holds(`${what} is not refused for it`, !isRefusedFor(ran, row.names), ran.stderr)
    }
    for (const value of row.bad) {
      const ran = await run(command, { ...rest, [row.key]: value })
      const what = `${row.ids[0]}: ${command} with ${row.key} ${JSON.stringify(value)}`
      isJudged(what, { row, ran, without, names: bench.naming?.(value) ?? row.names })
    }
  }
}

interface Judged {
  readonly row: FileRow
  readonly ran: FileRun
  /** The same command without the key, where that is the verdict. */
  readonly without: FileRun | null
  readonly names: ReadonlyArray<string>
}

const isJudged = (what: string, { row, ran, without, names }: Judged): void => {
  if (without !== null) {
    return same(`${what} as without it`, [ran.code, ran.stderr], [without.code, without.stderr])
  }
  const isRefused = ran.code !== 0
  holds(`${what}: refused`, isRefused === (row.verdict === "refuse"), `exit ${ran.code}`)
  for (const name of names) {
    holds(`${what}: ${name} is named`, ran.stderr.includes(name), ran.stderr)
  }
}

const isRefusedFor = ({ code, stderr }: FileRun, names: ReadonlyArray<string>): boolean =>
  code !== 0 && names.some((name) => stderr.includes(name))
