import type { Words } from './en';

/** Portuguese of Brazil. The file pt.ts has that of Portugal, for all other countries. */
export const ptBR: Words = {
  tours: 'Passeios',
  search: 'Buscar passeios',
  continents: 'Continentes',
  all: 'Todos',
  from: 'a partir de',
  nextDeparture: 'Próxima saída',
  noDates: 'Sem datas no momento',
  nextPage: 'Mais passeios',
  firstPage: 'Voltar ao início',
  shown: 'Passeios exibidos: {count}',
  loading: 'Carregando passeios…',
  nothing: 'Nenhum passeio encontrado',
  nothingHint: 'Confira a ortografia, tente uma palavra mais curta ou explore a lista.',
  everywhere: 'Buscar em todos os continentes',
  showAll: 'Ver todos os passeios',
  empty: 'Novos passeios em breve',
  emptyHint: 'Não há nada para reservar aqui hoje. Volte em breve.',
  failed: 'Não é possível exibir os passeios',
  retry: 'Tentar de novo',
  advice: {
    400: 'Este endereço não está completo. Recarregue a página.',
    401: 'Não é possível abrir esta lista: o token está faltando ou não é válido.',
    403: 'Esta lista não se destina a esta página.',
    429: 'Muitas solicitações. Tente de novo em um minuto.',
    500: 'Algo deu errado. Tente de novo em instantes.',
  },
  unusable: {
    expired: 'O token desta lista expirou. O site precisa de um novo.',
    revoked: 'O token desta lista foi revogado. O site precisa de um novo.',
    tenant_inactive: 'Esta lista está desativada no momento.',
    pass_expired: 'Esta lista expirou. Recarregue a página.',
  },
  requestId: 'ID da solicitação',
  offline: 'A conexão foi interrompida. Verifique-a e tente de novo.',
};
