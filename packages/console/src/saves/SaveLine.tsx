import type { Save } from "@atrium/domain/rooms/RoomsApi"

import { Moment } from "../parts/Moment.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { bytesText } from "../text/Numbers.ts"
import { reasonText } from "./SaveText.ts"

interface Props {
  readonly save: Save
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly onDownload: () => void
  readonly onBranch: () => void
  readonly onRestore: () => void
}

/** A save on the line of time: when, why, its size and version, and what can be done with it. */
export const SaveLine = ({ save, isChosen, onChoose, onDownload, onBranch, onRestore }: Props) => (
  <li class={isChosen ? "save chosen" : "save"}>
    <label>
      <input type="checkbox" checked={isChosen} onChange={onChoose} />
      <span>
        <b>
          <Moment at={save.createdAt} as="time" />
        </b>{" "}
        <Tenant text={reasonText(save.reason)} max={60} inControl />
        <span class="under">
          <code>
            <Tenant text={save.saveId} max={60} inControl />
          </code>
        </span>
        <span class="under">
          {bytesText(save.bytes)}, version {save.version}
        </span>
      </span>
    </label>
    <span class="acts">
      <button type="button" class="quiet small" onClick={onDownload}>
        Download
      </button>
      <button type="button" class="quiet small" onClick={onBranch}>
        Branch
      </button>
      <button type="button" class="quiet small danger" onClick={onRestore}>
        Restore
      </button>
    </span>
  </li>
)
