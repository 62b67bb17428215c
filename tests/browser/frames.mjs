// How many pictures a second the page shows while it plays: `node frames.mjs URL [SLOWER …]` with the address
// that `bvlab lab` prints. SLOWER are how many times slower than it is the processor shall be (1 and 6). For
// reading, not a test: it depends on the machine.
import { openBrowser, settled } from "./browser.mjs";

const [, , address, ...slower] = process.argv;
const [lab, key] = address.split("#");
const browser = await openBrowser();
for (const rate of slower.length > 0 ? slower.map(Number) : [1, 6]) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage();
  await page.goto(`${lab}#speed=32&drawn=1&${key}`);
  await settled(page);
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
  // From the second training set to the last that is drawn alone: there every frame has a new picture.
  const told = await page.evaluate(
    () =>
      new Promise((done) => {
        const [times, counts] = [[], new Set()];
        const look = (now) => {
          const count = Number.parseInt(document.getElementById("count").textContent, 10);
          times.push(now);
          counts.add(count);
          if (count >= 38 || !(count > 0)) done({ frames: times.length - 1, seconds: (times.at(-1) - times[0]) / 1000, pictures: counts.size - 1 });
          else requestAnimationFrame(look);
        };
        document.getElementById("play").click();
        requestAnimationFrame(look);
      }),
  );
  const perSecond = (number) => (number / told.seconds).toFixed(1);
  console.log(`${rate} times slower: ${perSecond(told.frames)} frames and ${perSecond(told.pictures)} new pictures a second`);
  await page.context().close();
}
await browser.close();
