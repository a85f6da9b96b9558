import type { Lang } from '#platform/text/languages.ts';

/*
 * Short, concrete nouns, of which two are suggested as a phrase. Two nouns, since adjectives would have to agree in
 * most languages.
 */

const EN =
  'acorn almond anchor apple apron arrow autumn bakery balcony bamboo banana barrel basket beach berry bicycle bottle branch bread bridge broom bucket butter button cabin cactus camera candle canoe carpet carrot castle cedar cherry chimney cloud clover coconut compass copper coral cotton cricket cup daisy desert dolphin donkey drum eagle elm engine falcon feather fern fiddle flute forest fountain fox garden ginger glacier glove grape guitar hammer harbor hazel hedge heron honey horse island ivory jacket jasmine kettle kite ladder lagoon lamp lantern lemon lighthouse lily lobster maple marble meadow melon mirror mitten moon mountain napkin nutmeg oak oasis ocean olive onion orange orchard otter owl paddle palm panda paper parrot peach pear pebble pencil pepper piano pillow pine planet plum pocket pony poppy potato pumpkin puzzle quilt rabbit radish rain raven ribbon river robin rocket rose saddle saffron sail salmon scarf shell silver snow sparrow spoon spring squirrel stone summer sunrise swallow swan table tailor teapot thimble thunder tiger timber tulip tunnel turtle umbrella valley vanilla velvet village violet violin wagon walnut whale wheat willow window winter wool yarn';

const PT =
  'abacate abacaxi abelha acerola agulha algodão alface almofada amora anel areia arara árvore asa avelã avião azeite azulejo balão balde banana bandeja barco beterraba bicicleta bola bolsa bordado botão bússola cabana cacau cachoeira cadeira caderno café caixa caju caminho camisa canela caneca caneta canoa capim caracol carroça casa castanha castelo cavalo cebola cenoura cereja cesta chaleira chapéu chave chuva cidade coco coelho colher colina concha coqueiro coral corda coruja cravo dado dente doce dominó escada escova espelho estrela farinha farol fazenda feijão feira figo fita flauta floresta folha fonte formiga fruta gaivota galho garfo garrafa gato gelo girafa girassol goiaba golfinho grama hortelã ilha inverno ipê jabuti jaca janela jardim jarra jasmim jornal lago lâmpada laranja lápis leão leite lenço lima limão lua luva maçã macaco madeira mamão manga manteiga mapa mar melancia mel mesa milho moeda montanha morango navio neve ninho noz nuvem oceano onda orquídea ovo palmeira panela papel pardal pato pedra pente pera pêssego piano pinha pipa poço pomar ponte porta pote praia primavera queijo quintal raiz rede relógio rio roda rosa sabão sal sapato semente serra sino sol sofá tambor tamanco tatu tecido telha tijolo tomate toalha trem trigo trilha tucano uva vale varanda vela vento verão vinho viola violão xícara';

const ES =
  'abanico abeja abrigo aceituna aguja ajo alfombra algodón almendra almohada anillo ancla árbol ardilla arena armario arroyo arroz avellana avena azúcar balcón ballena balsa bandeja banco barco barril bastón bicicleta bolso bosque botella botón brújula burro caballo cabaña cacao café caja calabaza camino camisa campana canasta canela canoa caracol carreta carta casa cascada castaña castillo cebolla cereza cesta chaleco ciervo ciruela clavel cobre cofre cometa concha conejo coral corcho cuchara cuerda dado delfín desierto diamante domino durazno elefante enero escalera escoba espejo espiga estrella faro flauta flor fresa frutilla fuente gallina ganso garza gato girasol globo gorrión granada granja guante guitarra hacha halcón harina helecho herradura hielo hierba higo hoja hormiga huerta invierno isla jabón jardín jarra jazmín lago lámpara lápiz lavanda leche lechuza limón llave lluvia loro luna maceta madera maíz maleta manta manzana mapa mar margarita martillo melón menta mesa miel molino moneda montaña mora naranja nido nieve nube nuez océano ola oliva olla orquídea otoño oveja página pájaro palma paloma pan panal papel pera perla piano piedra pimienta pincel pino plata playa pluma pozo primavera puente puerta queso ratón red reloj río roble rosa rueda sal sandía selva semilla silla sol sombrero tambor taza tejado tigre tomate tortuga trébol tren trigo trompeta uva valle vela ventana verano viento viña violín yerba zapato zorro';

const FR =
  'abeille abricot agneau aigle ail aiguille amande ananas ancre anneau arbre ardoise armoire automne avion avoine balai balcon baleine ballon banane bateau beurre bicyclette bijou blé bois boussole bouteille bouton branche brique brume bureau cabane cacao café cahier caillou camion canard canot carotte carte castor cerf cerise chaise chalet chandelle chapeau château chemin cheval chèvre ciel citron citrouille clairière clé cloche colline coquille corail corde coton coussin couteau crayon cuillère cygne dauphin désert domino eau écharpe échelle écorce écureuil élan éléphant encre épinette érable étoile étang fenêtre ferme feuille ficelle figue flamme fleur fleuve flocon flûte forêt fougère fraise framboise fromage gant garage girafe glace grange grenier grenouille guitare hamac harpe herbe hérisson hibou hirondelle hiver horloge huile île iris jardin jasmin jonquille lac laine lampe lavande lièvre lilas lin livre loutre lune maison marbre marmite marron marteau mélèze melon menthe mer miel miroir moineau montagne moulin mouton moufle muguet mûre myrtille neige nid noisette noix nuage océan oie oignon olive orage orange orchidée ours panier papier papillon parapluie pêche peigne perle phare piano pierre pin pinceau plage pluie plume poire poivre pomme pont porte potager prairie prune puits quai raisin rame renard rivière roche rose roue ruban ruche sable sapin savon sel sirop soleil source sucre table tambour tasse thé tigre tilleul toit tomate tortue train trèfle tulipe vague vallée vélo vent verger violette violon voile voiture';

const LISTS: Readonly<Record<Lang, string>> = {
  'en-us': EN,
  'en-gb': EN.replace('harbor', 'harbour'),
  'en-au': EN.replace('harbor', 'harbour'),
  'en-ca': EN.replace('harbor', 'harbour'),
  es: ES,
  pt: PT,
  fr: FR,
};

/** The words of a language. */
export const wordsFor = (lang: Lang): string[] => LISTS[lang].split(' ');
