/** Tours with names of the maximum length, without a blank, and from right to left. */
export const LONG_NAMES = [
  {
    name:
      'The Grand Overland Journey from Lisbon to Vladivostok by Rail, River and Road, with Seventeen Nights in Historic ' +
      'Hotels, Private Guides in Every City and a Farewell Dinner by the Pacific Ocean',
    summary:
      'A summary that goes on for a good while longer than two lines of any card, so that it has to be cut somewhere: here, or '.repeat(
        4,
      ),
  },
  {
    name: 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstellenbesichtigung',
    summary: 'One word, and no blank in it.',
  },
  {
    name: 'رحلة استكشاف البتراء ووادي رم مع مبيت في مخيم بدوي (Petra & Wadi Rum)، 5 أيام',
    summary: 'خمسة أيام بين الصخور الوردية والرمال الحمراء، مع عشاء تحت النجوم.',
  },
  { name: 'סיור קולינרי בשוק מחנה יהודה, Jerusalem 2031', summary: 'טעימות, סיפורים ואנשים.' },
  { name: '北海道の大雪山から知床半島まで、温泉と野生動物をめぐる十日間の特別な旅', summary: null },
  { name: 'Ô', summary: 'A name of one letter.' },
];
