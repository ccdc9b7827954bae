import { useSignal } from "@preact/signals"

import { Confirm } from "../parts/Confirm.tsx"
import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Moment } from "../parts/Moment.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { refusalIn } from "../service/Acts.ts"
import { useRead } from "../service/Reads.ts"
import { ask } from "../service/Service.ts"
import { bytesText, countText } from "../text/Numbers.ts"

interface Site {
  readonly label: string
  readonly url: string
  readonly files: number
  readonly bytes: number
  readonly deployedAt: string
}

/** The static site of a project. Source: C-810. */
export const SitePanel = ({ path }: { path: string }) => {
  const route = `${path}/site`
  const read = useRead<Site>(route, 30_000)
  const { last, refused } = read.state.value
  const deletes = useSignal(false)
  const isNone = refused?.code === "E_SITE_NOT_FOUND"
  return (
    <Panel
      title="Static site"
      asOf={last?.atMs ?? null}
      asked={{ method: "GET", path: route, credential: "login" }}
    >
      {refused !== null && !isNone && <Fault refusal={refused} again={read.again} />}
      {isNone && (
        <Empty title="No site.">
          <p>
            <code>atrium deploy --static</code> uploads the pages of a game.
          </p>
        </Empty>
      )}
      {last === null && refused === null && <Waiting />}
      {last !== null && <Shown site={last.value} onDelete={() => (deletes.value = true)} />}
      {deletes.value && last !== null && (
        <Confirm
          title="Delete this site?"
          act="Delete"
          typed={last.value.label}
          onAct={async () => refusalIn(await ask({ method: "DELETE", path: route }))}
          onClose={() => {
            deletes.value = false
            read.again()
          }}
        >
          <p>
            Its {countText(last.value.files)} files go at once, and anybody may take its label. The
            rooms of the project stay.
          </p>
        </Confirm>
      )}
    </Panel>
  )
}

const Shown = ({ site, onDelete }: { site: Site; onDelete: () => void }) => (
  <>
    <p class="sub-line">
      <a href={site.url} target="_blank" rel="noreferrer">
        <Tenant text={site.url} max={120} inControl />
      </a>
      : {countText(site.files)} files, {bytesText(site.bytes)}, deployed{" "}
      <Moment at={site.deployedAt} />.
    </p>
    <div class="filters">
      <button type="button" class="quiet danger" onClick={onDelete}>
        Delete the site
      </button>
    </div>
  </>
)
