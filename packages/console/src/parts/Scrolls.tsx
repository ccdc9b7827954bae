import type { ComponentChildren } from "preact"

/** A part of a panel that scrolls by itself where it is too wide or too long, by the keyboard, too. */
export const Scrolls = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div class="scrolls" tabIndex={0} role="group" aria-label={label}>
    {children}
  </div>
)
