/** What the next commands depend on. */
export interface InitPlace {
  /** The folder, as the user would write it. */
  readonly folder: string
  /** Whether package.json is the template's. */
  readonly ownPackage: boolean
  readonly service: string
  /** ` --url <service>` where commands do not find the service by themselves. */
  readonly at: string
}

/** Three commands that lead from the new folder to a live game. */
export const nextCommands = (place: InitPlace): ReadonlyArray<string> => {
  const { folder, ownPackage, service, at } = place
  const enter = folder === "." ? "" : `cd ${quoted(folder)} && `
  return ownPackage
    ? [`${enter}npm install`, "npm run dev", "npm run deploy"]
    : [
        `${enter}npm install ${service}/sdk.tgz ${service}/cli.tgz`,
        `npx atrium dev${at}`,
        `npx atrium deploy${at}`
      ]
}

/** As one word of a shell. */
const quoted = (path: string): string =>
  /^[\w./@+-]+$/.test(path) && !path.startsWith("-") ? path : `'${path.replaceAll("'", "'\\''")}'`
