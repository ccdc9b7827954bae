import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"

/** What a row says to readers of the repository; a program takes its numbers and its code. */
const prose: ReadonlySet<string> = new Set(["kind", "says", "per", "past", "reaches"])

/**
 * Writes each table of limits, and those of the refusals and the close codes, without its sentences; beside it a module
 * `…Values.js` has one constant for each number and text. A bundler then writes the numbers that a game uses in place,
 * and leaves out the others: that is a tenth of the client. All tables but that of the close codes, in which every client
 * looks for the code of its close, become one constant for each row.
 *
 * @param folder of compiled modules
 */
export const shortenTables = async (folder: string): Promise<void> => {
  const tables = globSync("**/{*Limits,RoomRefusal,CloseCode}.js", { cwd: folder }).toSorted()
  if (tables.length === 0) throw new Error(`${folder}: no table of limits is there`)
  const names = new Map<string, Table>()
  for (const table of tables) {
    const path = join(folder, table)
    // A module of rows: name -> row.
    const module: Readonly<Record<string, object>> = await import(pathToFileURL(path).href)
    const [exported, another] = Object.entries(module)
    if (exported === undefined || another !== undefined) {
      throw new Error(`${table}: a table is the only export of its file`)
    }
    const [name, rows] = exported
    const whole = basename(table) === "CloseCode.js"
    writeFileSync(
      path,
      whole ? constant([name, rows]) : Object.entries(rows).map(constant).join("")
    )
    rmSync(`${path}.map`)
    const values = valuesOf(rows)
    const lines = [...values].map(
      ([value, is]) => `export const ${value} = ${JSON.stringify(is)};\n`
    )
    writeFileSync(path.replace(/\.js$/, "Values.js"), lines.join(""))
    names.set(basename(table), { name, values, whole })
  }
  for (const path of globSync("**/*.js", { cwd: folder })) {
    const text = readFileSync(join(folder, path), "utf8")
    writeFileSync(join(folder, path), withRows(path, text, names))
  }
}

interface Table {
  readonly name: string
  /** Modules read the whole table, not only its rows. */
  readonly whole: boolean
  readonly values: ReadonlyMap<string, string | number>
}

/** The numbers and texts of rows, as `row_field`: a bundler writes them where they are read. */
const valuesOf = (rows: object): ReadonlyMap<string, string | number> =>
  new Map(
    Object.entries(rows).flatMap(([row, fields]) =>
      Object.entries(Object(fields)).flatMap(([field, is]): Array<[string, string | number]> =>
        prose.has(field) || (typeof is !== "number" && typeof is !== "string")
          ? []
          : [[`${row}_${field}`, is]]
      )
    )
  )

const constant = ([row, value]: readonly [string, unknown]): string => {
  const kept = JSON.stringify(value, (key, part: unknown) => (prose.has(key) ? undefined : part))
  return `export const ${row} = ${kept};\n`
}

const reads = new RegExp(`\\.(?:${[...prose].join("|")})\\b`)

/** Imports a table as the namespace of its rows. Throws when the module reads what a row has no more. */
const withRows = (path: string, text: string, names: ReadonlyMap<string, Table>): string =>
  [...names].reduce((written, [file, { name, values, whole }]) => {
    const from = new RegExp(
      `^import \\{ ${name} \\} from ("[^"]*/${file.replace(".", "\\.")}")`,
      "m"
    )
    if (!from.test(written)) {
      if (written.includes(`/${file}"`)) throw new Error(`${path}: imports ${file} in another way`)
      return written
    }
    const line = written.split("\n").find((one) => one.includes(`${name}.`) && reads.test(one))
    if (line !== undefined) throw new Error(`${path} reads the words of a row: ${line.trim()}`)
    const short = file.replace(/\.js$/, "Values.js")
    return written
      .replaceAll(
        new RegExp(`\\b${name}\\.(\\w+)\\.(\\w+)\\b`, "g"),
        (read, row: string, field: string) =>
          values.has(`${row}_${field}`) ? `${name}Values.${row}_${field}` : read
      )
      .replace(
        from,
        (_, path: string) =>
          `import ${whole ? `{ ${name} }` : `* as ${name}`} from ${path}; import * as ${name}Values from ${path.replace(file, short)}`
      )
  }, text)
