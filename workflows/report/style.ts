/** Style sheet of a report: light or dark like the system, for any width and for print. */
export const STYLE: string = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f5f7f9; --text: #1c2329; --muted: #54606c; --line: #d5dbe1;
  --succeeded: #1f6feb; --failed: #c2410c; --open: #8a939c; --calls: #4b5b6b;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #12171c; --panel: #1b2229; --text: #e4e9ee; --muted: #a2adb8; --line: #36414c;
    --succeeded: #5aa2ff; --failed: #ff8a50; --open: #7d8894; --calls: #9fb0c1;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1.25rem; max-width: 68rem;
  background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
h1 { margin: 0 0 .4rem; font-size: 1.75rem; }
h2 { margin: 0 0 .75rem; font-size: 1.25rem; }
h3 { margin: 1rem 0 .5rem; font-size: 1rem; }
p { margin: .4rem 0; }
section { margin-top: 2rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; unicode-bidi: isolate; }
small, .note, footer, dt, caption { color: var(--muted); }
small, .note, footer, details { font-size: .875rem; }
summary { cursor: pointer; width: fit-content; }
summary:focus-visible, .wide:focus-visible { outline: 2px solid var(--succeeded); outline-offset: 2px; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: .75rem; }

.state {
  display: inline-block; margin-right: .5rem; padding: .05rem .6rem; border: 1px solid currentColor; border-radius: 1rem;
  font-size: .875rem; font-weight: 600; color: var(--muted);
}
.state.done, .state.running { color: var(--succeeded); }
.state.failed, .state.interrupted { color: var(--failed); }
.key::before {
  content: ""; display: inline-block; width: .65em; height: .65em; margin-right: .4em; border-radius: 2px;
  background: currentColor; print-color-adjust: exact; -webkit-print-color-adjust: exact;
}
.key.succeeded::before { background: var(--succeeded); }
.key.failed::before { background: var(--failed); }
.key.open::before { background: var(--open); }
h3 .key { margin-left: .75rem; font-size: .875rem; font-weight: 400; }
strong.failed { color: var(--failed); }

dl { margin: 0; }
dd { margin: 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 1rem 0; }
.figures div { padding: .6rem .8rem; border-radius: 6px; background: var(--panel); }
.figures dt { font-size: .875rem; }
.figures dd { font-size: 1.4rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.figures small { display: block; font-size: .8rem; min-height: 1.3em; }
.facts div { display: grid; grid-template-columns: 7rem 1fr; gap: .5rem; padding: .15rem 0; }
.advice { margin: .75rem 0; padding: .6rem .8rem; border-left: 3px solid var(--failed); background: var(--panel); }

svg { display: block; width: 100%; overflow: visible; }
svg.parts { border-radius: 6px; overflow: hidden; }
svg.chart { width: calc(100% - 3.5rem); margin: .75rem .5rem 0 3rem; }
svg.spread { min-width: 9rem; }
svg text { font-size: 12px; fill: var(--muted); font-variant-numeric: tabular-nums; }
text.x { text-anchor: middle; }
text.y { text-anchor: end; }
line { stroke: var(--line); shape-rendering: crispEdges; }
line.base, line.whisker, line.end { stroke: var(--open); }
line.late { stroke: var(--text); stroke-width: 2; }
rect.succeeded { fill: var(--succeeded); }
rect.failed { fill: var(--failed); }
rect.open { fill: var(--open); }
rect.calls, rect.box { fill: var(--calls); }

.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; unicode-bidi: isolate; }
thead th { color: var(--muted); font-size: .8rem; white-space: nowrap; }
tbody th { font-weight: 400; overflow-wrap: break-word; }
td, th.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.number { text-align: right; }

.causes { margin: 0; padding: 0; list-style: none; }
.causes > li { padding: .75rem 0; border-bottom: 1px solid var(--line); }
.causes > li:last-child { border-bottom: 0; }
.causes h3 { margin: 0; font-weight: 400; color: var(--muted); }
.amount { font-weight: 600; color: var(--failed); }
.message, .issues { unicode-bidi: isolate; }
.issues { margin: .25rem 0; padding-left: 1.25rem; }
.places { margin: .35rem 0 0; padding: 0; list-style: none; columns: 10rem; column-gap: 1rem; }
.places li { break-inside: avoid; unicode-bidi: isolate; font-variant-numeric: tabular-nums; }

@media (max-width: 40rem) {
  body { padding: 1rem .9rem; }
  .facts div { grid-template-columns: 1fr; gap: 0; padding: .3rem 0; }
  .figures { grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); gap: .5rem; }
  th, td { padding: .35rem .45rem; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  section { margin-top: 1rem; padding-top: .75rem; }
  h2, h3 { break-after: avoid; }
  svg, tr, .figures div { break-inside: avoid; }
  .figures div { border: 1px solid var(--line); }
  .wide { overflow: visible; }
  .extra { display: none; }
  th, td { padding: .2rem .35rem; font-size: .8rem; }
  svg.spread { min-width: 5rem; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
